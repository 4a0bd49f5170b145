-- What was said, what follows from it, and why. A subject is "tenant.user", each part percent-encoded.

-- The exact record of every message, with who really sent it. Kind, origin and time of a fact come from here alone.
create table transcript (
    subject     text        not null,
    source      text        not null,
    thread      text        not null,
    seq         bigint      generated always as identity,
    kind        text        not null check (kind in ('user', 'tool', 'assistant', 'operator')),
    origin      text        not null check (origin <> ''),
    version     bigint,
    observed_at timestamptz not null,
    recorded_at timestamptz not null default now(),
    text        text        not null,
    digest      text        not null, -- md5 of the form that the conversation's state keeps (a long text is reduced there)
    extractor   text,        -- which extractor has read it; null while it is unread
    read_at     timestamptz,
    primary key (subject, source)
);
create index transcript_thread on transcript (subject, thread, seq);
create index transcript_unread on transcript (subject, seq) where extractor is null and kind = 'user';

-- Evidence. A statement that was erased is gone; one that was read anew has ended, so that "as of" still sees it.
create table statement (
    id          bigint      generated always as identity primary key,
    subject     text        not null,
    slot        text        not null,
    source      text        not null,
    ordinal     integer     not null check (ordinal >= 0),
    kind        text        not null check (kind in ('user', 'tool', 'operator')), -- never the assistant (F3)
    origin      text        not null,
    version     bigint,
    observed_at timestamptz not null,
    attribute   text        not null,
    stated      text,        -- as claimed, so that a new canonical form can be computed
    value       text,
    key         text,
    intent      text        not null check (intent in ('state', 'correct', 'retract', 'settle')),
    valid_from  timestamptz,
    valid_until timestamptz,
    accepts     text,
    quote       text        not null,
    retires     jsonb       not null default '[]',
    rank        integer,
    recorded_at timestamptz not null default clock_timestamp(),
    ended_at    timestamptz,
    check (key is not null or intent in ('retract', 'settle'))
);
create unique index statement_once on statement (subject, slot, source, ordinal) where ended_at is null;
create index statement_source on statement (subject, source);

-- One row a slot (F1). The active value itself lives in LangGraph's store; this row says what the slot is in.
create table record (
    subject    text        not null,
    slot       text        not null,
    attribute  text        not null,
    status     text        not null check (status in ('active', 'conflict', 'retracted', 'none')),
    revision   integer     not null,
    changes_at timestamptz, -- the next moment at which time alone may change the answer
    updated_at timestamptz not null default now(),
    primary key (subject, slot)
);
create index record_changes on record (changes_at) where changes_at is not null;
create index record_conflict on record (updated_at) where status = 'conflict';

-- Every decision, rejections included.
create table ledger (
    id         bigint      generated always as identity primary key,
    subject    text        not null,
    slot       text,
    attribute  text        not null,
    source     text        not null,
    ordinal    integer     not null,
    outcome    text        not null check (outcome in
        ('insert', 'noop', 'merge', 'replace', 'retract', 'conflict', 'reject')),
    reason     text,
    statement  jsonb       not null,
    before     jsonb,
    after      jsonb,
    extractor  text        not null,
    decided_at timestamptz not null default clock_timestamp(),
    check ((outcome = 'reject') = (reason is not null))
);
create index ledger_subject on ledger (subject, id);

-- Keyed hashes of erased sources, so that a redelivery stays a no-op.
create table erased (
    subject   text        not null,
    source    bytea       not null,
    erased_at timestamptz not null default now(),
    primary key (subject, source)
);

create function append_only() returns trigger language plpgsql as $$
begin
    if current_setting('memory.erasing', true) = 'on' then
        return coalesce(new, old);
    end if;
    raise exception 'memory.% is append-only', tg_table_name
        using hint = 'Erase through the product (python -m graph forget), which keeps records and audit consistent.';
end $$;
create trigger ledger_append_only before update or delete on ledger
    for each row execute function append_only();
create trigger transcript_exact before update of subject, source, thread, kind, origin, version, text or delete
    on transcript for each row execute function append_only();

-- Facts in LangGraph's store are written by the commit alone (F8): anybody else's put under facts.* is refused.
create function facts_by_commit_only() returns trigger language plpgsql as $$
begin
    if (coalesce(new.prefix, old.prefix) || '.') like 'facts.%' and current_setting('memory.committing', true) is distinct from 'on' then
        raise exception 'facts are written by the commit only'
            using hint = 'Say it in a conversation, or use the commands; the store shows facts read-only.';
    end if;
    return coalesce(new, old);
end $$;
create trigger facts_read_only before insert or update or delete on store
    for each row execute function facts_by_commit_only();
