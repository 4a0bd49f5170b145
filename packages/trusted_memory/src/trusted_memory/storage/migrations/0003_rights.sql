-- Erasure: what stays of an erased withdrawal. It keeps a withdrawn value from coming back, and names nothing itself.

alter table statement
    add column bare   boolean not null default false, -- what stays of an erased withdrawal
    add column sealed boolean not null default false, -- no statement needs its value in clear: key and slot are keyed hashes
    add check (bare or not sealed),
    add check (not bare or (intent = 'retract' and quote = '' and value is null and stated is null and accepts is null));
create index statement_sealed on statement (subject) where bare;
create index statement_accepts on statement (subject, accepts) where accepts is not null;
