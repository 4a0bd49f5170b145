-- Vectors of facts, beside the store: gone with the fact and with its value (a vector and a hash tell what was erased).

-- name: prepare
create extension if not exists vector;
create table if not exists fact_vector (
    prefix text not null, key text not null, model text not null, words text not null, embedding vector not null,
    primary key (prefix, key),
    foreign key (prefix, key) references store (prefix, key) on delete cascade);
create or replace function drop_vector() returns trigger language plpgsql as $$
begin
    if to_regclass('fact_vector') is not null then  -- whoever drops the table must not stop commits
        delete from fact_vector v where (v.prefix, v.key) = (new.prefix, new.key);
    end if;
    return null;
end $$;
create or replace trigger vector_of_value after update of value on store for each row
    when (old.value ->> 'value' is distinct from new.value ->> 'value') execute function drop_vector();
delete from fact_vector v using store s
where (s.prefix, s.key) = (v.prefix, v.key) and v.words is distinct from md5(s.value ->> 'value')

-- name: missing
select s.key as slot, s.value ->> 'attribute' as attribute, s.value ->> 'value' as value from store s
where s.prefix = %(prefix)s and not exists (
    select from fact_vector v
    where v.prefix = s.prefix and v.key = s.key and v.model = %(model)s and v.words = md5(s.value ->> 'value'))
order by s.key limit %(most)s

-- name: keep
-- The facts stay as they are until this is committed: else the vector of a value that is no more could slip in.
insert into fact_vector (prefix, key, model, words, embedding)
select s.prefix, s.key, %(model)s, md5(s.value ->> 'value'), r.embedding::vector
from jsonb_to_recordset(%(rows)s) as r(slot text, value text, embedding text)
join store s on s.prefix = %(prefix)s and s.key = r.slot and s.value ->> 'value' = r.value
for share of s
on conflict (prefix, key) do update
set model = excluded.model, words = excluded.words, embedding = excluded.embedding

-- name: nearest
select v.key as slot from fact_vector v join store s using (prefix, key)
where v.prefix = %(prefix)s and v.model = %(model)s and v.words = md5(s.value ->> 'value')
order by v.embedding <=> %(vector)s::vector limit %(most)s
