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
update ledger l set source = n.name, statement = '{}', before = null, after = null
from jsonb_each_text(%(names)s) as n(source, name) where l.subject = %(subject)s and l.source = n.source

-- name: erase_accepted
-- What was accepted came from the erased message; that something was accepted did not.
update ledger set statement = '{}' where subject = %(subject)s and statement ->> 'accepts' = any(%(sources)s)

-- name: erase_messages
delete from transcript where subject = %(subject)s and source = any(%(sources)s)

-- name: mark_erased
insert into erased (subject, source) select %(subject)s, h from unnest(%(hashes)s::bytea[]) h on conflict do nothing

-- name: evidence_left
select id, slot, attribute, key, bare, sealed from statement where subject = %(subject)s and slot = any(%(slots)s)

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
