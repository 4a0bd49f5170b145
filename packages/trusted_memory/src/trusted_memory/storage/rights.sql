-- What erasure, review and disclosure ask of the database. Each name is used in one place.

-- name: erasing
-- No message is recorded while the subject's sources are erased: else a redelivery could slip in between the look and
-- the insert. (`recording` is its counterpart, which lets any number of messages in at a time.)
select set_config('memory.erasing', 'on', true), pg_advisory_xact_lock(hashtextextended('erasing ' || %(subject)s, 0))

-- name: recording
select pg_advisory_xact_lock_shared(hashtextextended('erasing ' || %(subject)s, 0))

-- name: slots_of_sources
-- Where they ever spoke: in ended statements too, and in what the ledger remembers of them.
select slot from statement where subject = %(subject)s and (source = any(%(sources)s) or accepts = any(%(sources)s))
union
select slot from ledger where subject = %(subject)s and source = any(%(sources)s) and slot is not null

-- name: bare_withdrawals
-- In place, so that they were known when they were known: "as of" a moment before the erasure needs them as well.
with mine as (
    select s.id, n.name, row_number() over (partition by s.slot, n.name, s.ended_at is null order by s.id) - 1 as place
    from statement s join jsonb_each_text(%(names)s) as n(source, name)
      on n.source = case when s.source = any(%(sources)s) then s.source else s.accepts end
    where s.subject = %(subject)s and s.intent = 'retract'
)
update statement s
set source = m.name, ordinal = m.place, bare = true, quote = '', value = null, stated = null, accepts = null
from mine m where m.id = s.id

-- name: erase_statements
-- The ended ones too: erased means gone from "as of" as well.
delete from statement where subject = %(subject)s and (source = any(%(sources)s) or accepts = any(%(sources)s))

-- name: rename_retired
update statement s set retires = (
    select jsonb_agg(jsonb_build_array(coalesce(%(names)s::jsonb ->> (r ->> 0), r ->> 0), r -> 1))
    from jsonb_array_elements(s.retires) r)
where s.subject = %(subject)s and exists (
    select 1 from jsonb_array_elements(s.retires) r where r ->> 0 = any(%(sources)s))

-- name: erase_ledger
-- A claim without a slot may have any words of the model as its attribute.
update ledger l set source = n.name, statement = '{}', before = null, after = null,
    attribute = case when l.slot is null then '(unknown)' else l.attribute end
from jsonb_each_text(%(names)s) as n(source, name) where l.subject = %(subject)s and l.source = n.source

-- name: erase_accepted
-- What was accepted came from the erased message; that something was accepted did not.
update ledger set statement = '{}' where subject = %(subject)s and statement ->> 'accepts' = any(%(sources)s)

-- name: erase_messages
delete from transcript where subject = %(subject)s and source = any(%(sources)s)

-- name: mark_erased
insert into erased (subject, source) select %(subject)s, h from unnest(%(hashes)s::bytea[]) h on conflict do nothing

-- name: evidence_left
select id, slot, attribute, value, key, bare, sealed from statement where subject = %(subject)s and slot = any(%(slots)s)

-- name: ledger_values
select id, slot, before, after from ledger
where subject = %(subject)s and slot = any(%(slots)s) and (before is not null or after is not null)

-- name: write_ledger_values
update ledger l set before = r.before, after = r.after
from jsonb_to_recordset(%(rows)s) as r(id bigint, before jsonb, after jsonb) where l.id = r.id

-- name: seal_statements
update statement s set slot = r.slot, key = r.key, sealed = true
from jsonb_to_recordset(%(rows)s) as r(id bigint, slot text, key text) where s.id = r.id

-- name: seal_ledger
update ledger l set slot = n.sealed from jsonb_each_text(%(names)s) as n(slot, sealed)
where l.subject = %(subject)s and l.slot = n.slot

-- name: clear_sealed_records
delete from record r using jsonb_each_text(%(names)s) as n(slot, sealed)
where r.subject = %(subject)s and r.slot = n.sealed

-- name: seal_records
update record r set slot = n.sealed from jsonb_each_text(%(names)s) as n(slot, sealed)
where r.subject = %(subject)s and r.slot = n.slot

-- name: drop_records
-- A slot without any evidence has nothing to say, and where many values may hold its name would say too much.
delete from record r where r.subject = %(subject)s and r.slot = any(%(slots)s) and not exists (
    select 1 from statement s where s.subject = r.subject and s.slot = r.slot and s.ended_at is null)

-- name: heads
-- The newest checkpoint of each namespace: the only one that is needed to go on.
select distinct on (thread_id, checkpoint_ns) thread_id, checkpoint_ns, checkpoint_id
from checkpoints where thread_id = any(%(threads)s) order by thread_id, checkpoint_ns, checkpoint_id desc

-- name: prune_checkpoints
delete from checkpoints c using jsonb_to_recordset(%(heads)s) as h(thread_id text, checkpoint_ns text, checkpoint_id text)
where (c.thread_id, c.checkpoint_ns) = (h.thread_id, h.checkpoint_ns) and c.checkpoint_id < h.checkpoint_id

-- name: prune_blobs
delete from checkpoint_blobs b where b.thread_id = any(%(threads)s) and not exists (
    select 1 from checkpoints c where (c.thread_id, c.checkpoint_ns) = (b.thread_id, b.checkpoint_ns)
    and c.checkpoint -> 'channel_versions' ->> b.channel = b.version)

-- name: prune_writes
-- Those of a run that is on may come before their checkpoint; then its tasks run again if it is killed just now.
delete from checkpoint_writes w where w.thread_id = any(%(threads)s) and not exists (
    select 1 from checkpoints c
    where (c.thread_id, c.checkpoint_ns, c.checkpoint_id) = (w.thread_id, w.checkpoint_ns, w.checkpoint_id))

-- name: prune_parents
update checkpoints c set parent_checkpoint_id = null where c.thread_id = any(%(threads)s) and not exists (
    select 1 from checkpoints p where (p.thread_id, p.checkpoint_ns, p.checkpoint_id)
                                    = (c.thread_id, c.checkpoint_ns, c.parent_checkpoint_id))

-- name: checkpoint_values
-- Plain values stand in the checkpoint itself.
select c.thread_id, c.checkpoint_ns, c.checkpoint_id, v.key as channel, v.value
from checkpoints c, jsonb_each(c.checkpoint -> 'channel_values') v where c.thread_id = any(%(threads)s)

-- name: blob_values
select thread_id, checkpoint_ns, channel, version, type, blob from checkpoint_blobs
where thread_id = any(%(threads)s) and type <> 'empty'

-- name: write_values
select thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob from checkpoint_writes
where thread_id = any(%(threads)s)

-- name: write_checkpoint
update checkpoints set checkpoint = jsonb_set(checkpoint, array['channel_values', %(channel)s], %(value)s)
where (thread_id, checkpoint_ns, checkpoint_id) = (%(thread_id)s, %(checkpoint_ns)s, %(checkpoint_id)s)

-- name: write_blob
update checkpoint_blobs set type = %(type)s, blob = %(blob)s
where (thread_id, checkpoint_ns, channel, version) = (%(thread_id)s, %(checkpoint_ns)s, %(channel)s, %(version)s)

-- name: write_write
update checkpoint_writes set type = %(type)s, blob = %(blob)s
where (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
    = (%(thread_id)s, %(checkpoint_ns)s, %(checkpoint_id)s, %(task_id)s, %(idx)s)

-- name: delete_checkpoints
delete from checkpoints where thread_id = any(%(threads)s)

-- name: delete_blobs
delete from checkpoint_blobs where thread_id = any(%(threads)s)

-- name: delete_writes
delete from checkpoint_writes where thread_id = any(%(threads)s)

-- name: everything
-- Every source of a subject. A skeleton is none.
select source from transcript where subject = %(subject)s
union select source from statement where subject = %(subject)s and not bare
union select accepts from statement where subject = %(subject)s and accepts is not null
union select l.source from ledger l where l.subject = %(subject)s and not exists (
    select 1 from erased e where e.subject = l.subject and l.source = 'erased:' || encode(e.source, 'hex'))

-- name: is_source
select exists (select 1 from transcript where subject = %(subject)s and source = %(source)s)
    or exists (select 1 from statement where subject = %(subject)s and %(source)s in (source, accepts))
    or exists (select 1 from ledger where subject = %(subject)s and source = %(source)s) as known

-- name: claims_about
-- Whatever was said about an attribute, believed or not: who said it, and which slot or value it was about.
select source, accepts, slot, value from statement
where subject = %(subject)s and attribute = %(attribute)s and not bare
union all
select l.source, l.statement ->> 'accepts', l.slot, l.statement ->> 'value' from ledger l
where l.subject = %(subject)s and l.attribute = %(attribute)s and l.statement <> '{}'

-- name: said
-- What sources said, wherever it is kept.
select attribute, key, value, stated, quote from statement
where subject = %(subject)s and (source = any(%(sources)s) or accepts = any(%(sources)s))
union all
select attribute, null, statement ->> 'value', null, statement ->> 'quote' from ledger
where subject = %(subject)s and (source = any(%(sources)s) or statement ->> 'accepts' = any(%(sources)s))

-- name: supported
select attribute, value, key from statement
where subject = %(subject)s and not bare and key is not null
  and not (source = any(%(sources)s) or coalesce(accepts = any(%(sources)s), false))

-- name: whole_transcript
-- And on which messages something rests that stays when these sources are gone.
with stays as (
    select source, accepts from statement where subject = %(subject)s and not bare
      and not (source = any(%(sources)s) or coalesce(accepts = any(%(sources)s), false))
), evidence as (
    select source from stays union select accepts from stays where accepts is not null
)
select t.source, t.thread, t.kind, t.text, t.digest, e.source is not null as evidence
from transcript t left join evidence e using (source) where t.subject = %(subject)s order by t.seq

-- name: threads
-- A copy comes after what it is a copy of.
select t.thread, c.copy_of from (
    select thread from transcript where subject = %(subject)s
    union select thread from conversation where subject = %(subject)s) t
left join conversation c on c.thread = t.thread and c.subject = %(subject)s order by c.claimed_at nulls first, t.thread

-- name: drop_conversations
delete from conversation where subject = %(subject)s

-- name: drop_problems
-- What was wrong with a failed job may quote the message that it could not read.
update procrastinate_jobs set args = args - 'problem' where lock = %(subject)s and args ? 'problem'

-- name: shown_facts
select key as slot, value ->> 'attribute' as attribute, value ->> 'value' as value, (value ->> 'support')::int as support
from store where prefix = %(prefix)s

-- name: drop_all_facts
delete from store where prefix = %(prefix)s

-- name: erase_jobs
delete from procrastinate_jobs where lock = %(subject)s and status <> 'doing'

-- name: recent_turns
-- The notes of the newest turn of conversations that went on a moment ago.
select h.thread_id, b.type, b.blob from (
    select distinct on (thread_id) thread_id, checkpoint from checkpoints
    where thread_id = any(%(threads)s) and checkpoint_ns = '' order by thread_id, checkpoint_id desc) h
left join checkpoint_blobs b on b.thread_id = h.thread_id and b.checkpoint_ns = '' and b.channel = 'turn'
    and b.version = h.checkpoint -> 'channel_versions' ->> 'turn'
where (h.checkpoint ->> 'ts')::timestamptz > now() - interval '2 minutes'

-- name: saved_checkpoints
select * from checkpoints where thread_id = %(thread)s

-- name: saved_blobs
select * from checkpoint_blobs where thread_id = %(thread)s

-- name: saved_writes
select * from checkpoint_writes where thread_id = %(thread)s

-- name: restore_checkpoints
insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
values (%(thread_id)s, %(checkpoint_ns)s, %(checkpoint_id)s, %(parent_checkpoint_id)s, %(type)s, %(checkpoint)s, %(metadata)s)
on conflict do nothing

-- name: restore_blobs
insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
values (%(thread_id)s, %(checkpoint_ns)s, %(channel)s, %(version)s, %(type)s, %(blob)s) on conflict do nothing

-- name: restore_writes
insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
values (%(thread_id)s, %(checkpoint_ns)s, %(checkpoint_id)s, %(task_id)s, %(task_path)s, %(idx)s, %(channel)s, %(type)s,
        %(blob)s) on conflict do nothing

-- name: conflicts
-- Oldest first, a page at a time: the key of the last one is where the next page begins.
select subject, slot, attribute, revision, updated_at from record
where status = 'conflict' and (%(tenant)s::text is null or starts_with(subject, %(tenant)s || '.'))
  and (%(time)s::timestamptz is null or (updated_at, subject, slot) > (%(time)s, %(subject)s, %(slot)s))
order by updated_at, subject, slot limit %(most)s

-- name: evidence_of_records
select s.* from statement s join jsonb_to_recordset(%(records)s) as r(subject text, slot text) using (subject, slot)
where s.ended_at is null

-- name: revision
select revision from record where subject = %(subject)s and slot = %(slot)s

-- name: all_evidence
select * from statement where subject = %(subject)s and ended_at is null

-- name: evidence_of_attribute
select * from statement where subject = %(subject)s and attribute = %(attribute)s and ended_at is null and not sealed

-- name: told
-- Where and when the sources of a subject were said, and what memory has not read yet.
select source, thread, kind, extractor is null and kind = 'user' as unread from transcript where subject = %(subject)s

-- name: history
select slot, attribute, source, outcome, reason, statement, before, after, decided_at from ledger
where subject = %(subject)s order by id

-- name: export_transcript
select thread, seq, source, kind, origin, version, observed_at, recorded_at, text, extractor, read_at
from transcript where subject = %(subject)s order by seq

-- name: export_statements
select * from statement where subject = %(subject)s order by id

-- name: export_records
select * from record where subject = %(subject)s order by slot

-- name: export_ledger
select * from ledger where subject = %(subject)s order by id

-- name: export_facts
select key as slot, value, created_at, updated_at from store where prefix = %(prefix)s order by key

-- name: export_erased
select count(*) as messages, max(erased_at) as last from erased where subject = %(subject)s

-- name: head_checkpoint_values
select h.thread_id, v.key as channel, v.value from (
    select distinct on (thread_id) thread_id, checkpoint from checkpoints
    where thread_id = any(%(threads)s) and checkpoint_ns = '' order by thread_id, checkpoint_id desc) h,
    jsonb_each(h.checkpoint -> 'channel_values') v
where v.key in ('summary', 'pinned')

-- name: head_blob_values
select h.thread_id, b.channel, b.type, b.blob from (
    select distinct on (thread_id) thread_id, checkpoint from checkpoints
    where thread_id = any(%(threads)s) and checkpoint_ns = '' order by thread_id, checkpoint_id desc) h
join checkpoint_blobs b on b.thread_id = h.thread_id and b.checkpoint_ns = '' and b.type <> 'empty'
    and b.version = h.checkpoint -> 'channel_versions' ->> b.channel
where b.channel in ('summary', 'pinned')
