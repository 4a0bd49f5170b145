-- Records from statements alone, and checks over a whole database.

-- name: subjects
select subject from (
    select subject from statement where ended_at is null
    union select subject from record
    union select substr(prefix, length('facts.') + 1) from store where prefix like 'facts.%%'
) s where subject > %(after)s order by subject limit %(most)s

-- name: statements
select id, slot, source, ordinal, kind, origin, version, observed_at, attribute, stated, value, key, intent, valid_from,
       valid_until, accepts, quote, retires, rank, sealed, live, carries as carried,
       revision
from statement where subject = %(subject)s and ended_at is null

-- name: records
select slot, attribute, status, revision, changes_at from record where subject = %(subject)s

-- name: facts
select key as slot, value from store where prefix = 'facts.' || %(subject)s

-- name: drop_records
delete from record where subject = %(subject)s and slot = any(%(slots)s)

-- name: rename
-- What stays of an erased withdrawal shows no value (0003_rights.sql).
update statement s
set slot = r.slot, attribute = r.attribute, value = case when s.bare then null else r.value end, key = r.key
from jsonb_to_recordset(%(rows)s) as r(id bigint, slot text, attribute text, value text, key text)
where s.id = r.id and s.subject = %(subject)s

-- name: undecided
-- Statements without a row in the ledger (F5).
select s.slot, s.source, s.ordinal from statement s
where s.subject = %(subject)s and not s.bare and not exists (
    select 1 from ledger l where l.subject = s.subject and l.source = s.source and l.ordinal = s.ordinal)

-- name: unquoted
-- Statements whose quote is not in the message that they come from (F4).
select s.slot, s.source, s.ordinal from statement s
left join transcript t on t.subject = s.subject and t.source = s.source
where s.subject = %(subject)s and s.ended_at is null and not s.bare
  and (t.source is null or position(s.quote in t.text) = 0)
