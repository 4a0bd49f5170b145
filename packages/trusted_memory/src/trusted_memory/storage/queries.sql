-- Named queries; sql.py reads them. Each name is used in one place.

-- name: lock
-- The subject's lock, held until the transaction ends. Waiting ends with LockNotAvailable after the timeout.
-- Generic plans: everything is found by its key, and planning each time took half of the server's work (2.1 ms to 1.0).
select set_config('lock_timeout', %(timeout)s, true), set_config('memory.committing', 'on', true),
       set_config('plan_cache_mode', 'force_generic_plan', true),
       pg_advisory_xact_lock(hashtextextended(%(subject)s, 0))

-- name: erased
select source from erased where subject = %(subject)s and source = any(%(hashes)s)

-- name: gather
-- One row with everything that decisions depend on. Of the slots named, what is live; whole are the slots in `whole`,
-- those in which a source has spoken that is read anew, and those from which a source in `gone` is taken out. With the
-- sealed tombstones of slots whose names are sealed too. The question is one JSON: five arrays cost the client more
-- than all else it does for this statement.
with question as (
    select array(select jsonb_array_elements_text(q -> 'sources')) as sources,
           array(select jsonb_array_elements_text(q -> 'gone')) as gone,
           array(select decode(jsonb_array_elements_text(q -> 'hashes'), 'hex')) as hashes,
           q -> 'slots' as slots, q -> 'whole' as whole, q ->> 'extractor' as extractor
    from (select %(question)s::jsonb as q) q
), wanted as (
    select slot, bool_or(whole) as whole from (
        select jsonb_array_elements_text(slots) as slot, false as whole from question
        union all select jsonb_array_elements_text(whole), true from question
        union all select s.slot, true from question q join statement s on s.source = any(q.sources)
            join transcript t using (subject, source)
            where s.subject = %(subject)s and s.ended_at is null and t.extractor is distinct from q.extractor
        union all select s.slot, true from question q join statement s
            on s.source = any(q.gone) or s.accepts = any(q.gone)
            where q.gone <> '{}' and s.subject = %(subject)s and s.ended_at is null
    ) w group by slot
), evidence as (
    select s.* from wanted w join statement s using (slot)
    where not w.whole and s.subject = %(subject)s and s.ended_at is null and s.live
    union all
    select s.* from wanted w join statement s using (slot)
    where w.whole and s.subject = %(subject)s and s.ended_at is null
    union all
    select s.* from statement s
    where s.subject = %(subject)s and s.bare and s.sealed and s.ended_at is null and s.slot <> s.attribute
)
select
    (select json_agg(t) from (
        select source, kind, origin, version, observed_at, text, t.extractor
        from question q join transcript t on t.source = any(q.sources) where t.subject = %(subject)s) t) as said,
    (select json_agg(encode(source, 'hex')) from question q join erased e on e.source = any(q.hashes)
        where e.subject = %(subject)s) as erased,
    (select json_agg(w) from (
        select w.slot, w.whole, r.revision, r.bounded_at
        from wanted w left join record r on r.subject = %(subject)s and r.slot = w.slot) w) as slots,
    (select json_agg(e) from (
        select id, slot, source, ordinal, kind, origin, version, observed_at, attribute, value, key, intent, valid_from,
               valid_until, accepts, quote, retires, rank, sealed, carries from evidence) e) as statements

-- name: unbound
-- All evidence of these slots is read again.
with slots as (
    update record set bounded_at = null where subject = %(subject)s and slot = any(%(slots)s)
)
update statement set live = true, carries = 0
where subject = %(subject)s and slot = any(%(slots)s) and not (live and carries = 0)

-- name: bound
update statement s set live = f.live, carries = f.carries
from jsonb_to_recordset(%(rows)s) as f(slot text, source text, ordinal int, live boolean, carries int)
where s.subject = %(subject)s and s.slot = f.slot and s.source = f.source and s.ordinal = f.ordinal
  and s.ended_at is null and (s.live, s.carries) is distinct from (f.live, f.carries)

-- name: open_sealed
-- A value that an erased withdrawal named has been stated anew: it is no secret any more, and the withdrawal must find it.
with opened as (
    update statement s set slot = o.slot, key = o.key, sealed = false
    from jsonb_to_recordset(%(rows)s) as o(id bigint, slot text, key text) where s.id = o.id
)
update record r set slot = o.slot from (
    select distinct slot, sealed from jsonb_to_recordset(%(rows)s) as o(slot text, sealed text)) o
where r.subject = %(subject)s and r.slot = o.sealed and o.sealed <> o.slot

-- name: end_statements
update statement set ended_at = clock_timestamp()
where subject = %(subject)s and source = any(%(sources)s) and ended_at is null

-- name: apply
-- Everything a batch changes, in one statement: each statement costs the client as much as it costs the server.
with batch as (select %(batch)s::jsonb as b),
added as (
    insert into statement (subject, slot, source, ordinal, kind, origin, version, observed_at, attribute, stated, value,
                           key, intent, valid_from, valid_until, accepts, quote, retires, rank, live, carries, revision)
    select %(subject)s, t.* from batch, jsonb_to_recordset(b -> 'statements') as t(slot text, source text, ordinal int,
        kind text, origin text, version bigint, observed_at timestamptz, attribute text, stated text, value text,
        key text, intent text, valid_from timestamptz, valid_until timestamptz, accepts text, quote text, retires jsonb,
        rank int, live boolean, carries int, revision int)
), records as (
    insert into record (subject, slot, attribute, status, revision, changes_at, bounded_at)
    select %(subject)s, t.* from batch, jsonb_to_recordset(b -> 'records') as t(slot text, attribute text, status text,
        revision int, changes_at timestamptz, bounded_at timestamptz)
    on conflict (subject, slot) do update
    set attribute = excluded.attribute, status = excluded.status, revision = excluded.revision,
        changes_at = excluded.changes_at, bounded_at = excluded.bounded_at, updated_at = now()
), facts as (
    insert into store (prefix, key, value, created_at, updated_at)
    select 'facts.' || %(subject)s, t.*, now(), now()
    from batch, jsonb_to_recordset(b -> 'facts') as t(key text, value jsonb)
    on conflict (prefix, key) do update set value = excluded.value, updated_at = now()
), gone as (
    delete from store where prefix = 'facts.' || %(subject)s
    and key = any(array(select jsonb_array_elements_text(b -> 'gone') from batch))
), audited as (
    insert into ledger (subject, slot, attribute, source, ordinal, outcome, reason, statement, before, after, extractor)
    select %(subject)s, t.*, b ->> 'extractor'
    from batch, jsonb_to_recordset(b -> 'ledger') as t(slot text, attribute text, source text, ordinal int,
        outcome text, reason text, statement jsonb, before jsonb, after jsonb)
)
update transcript set extractor = b ->> 'extractor', read_at = clock_timestamp() from batch
where subject = %(subject)s and source = any(array(select jsonb_array_elements_text(b -> 'read') from batch))

-- name: record_messages
-- Returns what is new, and what was erased and is not written again. A redelivery changes nothing, unless it proves an
-- earlier time: then it is to be read again.
with sent as (
    select r.*, exists (select from erased e where e.subject = %(subject)s and e.source = decode(r.hash, 'hex')) as gone
    from jsonb_to_recordset(%(rows)s) as r(source text, thread text, kind text, origin text, version bigint,
        observed_at timestamptz, text text, digest text, hash text)
), written as (
    insert into transcript as t (subject, source, thread, kind, origin, version, observed_at, text, digest)
    select %(subject)s, source, thread, kind, origin, version, observed_at, text, digest from sent where not gone
    on conflict (subject, source) do update set observed_at = excluded.observed_at, extractor = null
    where excluded.observed_at < t.observed_at
    returning source, (xmax = 0) as new
)
select source, new, false as gone from written union all select source, false, true from sent where gone

-- name: unread
-- With what the assistant had said just before, for context.
select t.source, t.thread, t.observed_at, t.recorded_at, t.text, p.source as before, p.text as before_text, p.observed_at as before_at
from transcript t left join lateral (
    select source, text, observed_at from transcript b
    where b.subject = t.subject and b.thread = t.thread and b.seq < t.seq and b.kind = 'assistant'
    order by b.seq desc limit 1) p on true
where t.subject = %(subject)s and t.extractor is null and t.kind = 'user'
  and (%(of)s::text[] is null or t.source = any(%(of)s))
order by t.seq limit %(most)s

-- name: known_messages
-- `here`: said in this conversation, or in one that it is a copy of.
with recursive origin as (
    select copy_of from conversation where thread = %(thread)s
    union select c.copy_of from conversation c join origin o on c.thread = o.copy_of
)
select source, kind, md5(text) as exact, digest, extractor is not null as read,
       thread = %(thread)s or thread in (select copy_of from origin) as here
from transcript where subject = %(subject)s and source = any(%(sources)s)

-- name: recall_facts
select key as slot, value from store where prefix = %(prefix)s order by key

-- name: recall_slots
-- Slots that are not simply active: in conflict, or due to change by time alone.
select slot, attribute, status, changes_at from record
where subject = %(subject)s and (status = 'conflict' or changes_at <= %(now)s)

-- name: evidence_of_slots
select slot, source, ordinal, kind, origin, version, observed_at, attribute, value, key, intent, valid_from, valid_until,
       accepts, quote, retires, rank, carries
from statement where subject = %(subject)s and slot = any(%(slots)s) and ended_at is null and live

-- name: evidence_as_of
select slot, source, ordinal, kind, origin, version, observed_at, attribute, value, key, intent, valid_from, valid_until,
       accepts, quote, retires, rank
from statement where subject = %(subject)s and recorded_at <= %(moment)s and (ended_at is null or ended_at > %(moment)s)

-- name: read_ledger
select id, slot, attribute, source, ordinal, outcome, reason, statement, before, after, extractor, decided_at from ledger
where subject = %(subject)s order by id desc limit %(most)s

-- name: decisions_of
select slot, attribute, source, ordinal, outcome, reason, statement, before, after from ledger
where subject = %(subject)s and source = any(%(sources)s) and outcome <> 'noop' order by id

-- name: read_thread
select seq, source, kind, origin, observed_at, text from transcript
where subject = %(subject)s and thread = %(thread)s and seq > %(after)s order by seq limit %(most)s

-- name: search_transcript
select source, kind, observed_at, text from transcript
where subject = %(subject)s and thread = %(thread)s and position(lower(%(text)s) in lower(text)) > 0
order by seq desc limit %(most)s

-- name: words_in_thread
select word from unnest(%(words)s::text[]) as w(word) where exists (
    select 1 from transcript
    where subject = %(subject)s and thread = %(thread)s and position(lower(word) in lower(text)) > 0)

-- name: read_message
select source, kind, origin, observed_at, text from transcript
where subject = %(subject)s and thread = %(thread)s and source = %(source)s

-- name: owner
select subject from conversation where thread = %(thread)s

-- name: claim
insert into conversation (thread, subject) values (%(thread)s, %(subject)s) on conflict do nothing
