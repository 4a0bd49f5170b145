-- Whose conversation a thread is: the first customer to use it. Checkpoints are keyed by the thread alone, so without
-- this whoever names another customer's thread in plain Python would be shown that customer's messages.
create table conversation (
    thread     text        primary key,
    subject    text        not null,
    claimed_at timestamptz not null default now()
);
create index conversation_subject on conversation (subject);
insert into conversation (thread, subject)
select distinct on (thread) thread, subject from transcript order by thread, seq;
