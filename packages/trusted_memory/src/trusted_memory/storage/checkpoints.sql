-- LangGraph's checkpoint tables (see langgraph.checkpoint.postgres): what its saver lacks, and retention.

-- name: delete_blobs_of_runs
-- A version belongs to the run that first wrote it; what a surviving checkpoint refers to stays.
with gone as (
    select thread_id, checkpoint_ns, checkpoint from checkpoints where metadata ->> 'run_id' = any(%(runs)s)
), referred as (
    select c.thread_id, c.checkpoint_ns, v.key as channel, v.value as version
    from checkpoints c, jsonb_each_text(c.checkpoint -> 'channel_versions') v
    where c.thread_id in (select thread_id from gone) and not (c.metadata ->> 'run_id' = any(%(runs)s)) is true
)
delete from checkpoint_blobs b
using (select distinct g.thread_id, g.checkpoint_ns, v.key as channel, v.value as version
       from gone g, jsonb_each_text(g.checkpoint -> 'channel_versions') v) old
where (b.thread_id, b.checkpoint_ns, b.channel, b.version) = (old.thread_id, old.checkpoint_ns, old.channel, old.version)
  and not exists (select 1 from referred r where (r.thread_id, r.checkpoint_ns, r.channel, r.version)
                                               = (b.thread_id, b.checkpoint_ns, b.channel, b.version))

-- name: delete_writes_of_runs
delete from checkpoint_writes w using checkpoints c
where (w.thread_id, w.checkpoint_ns, w.checkpoint_id) = (c.thread_id, c.checkpoint_ns, c.checkpoint_id)
  and c.metadata ->> 'run_id' = any(%(runs)s)

-- name: delete_runs
delete from checkpoints where metadata ->> 'run_id' = any(%(runs)s)

-- name: run_elsewhere
select from checkpoints where metadata ->> 'run_id' = %(run)s and thread_id <> %(thread)s limit 1

-- name: await_erasure
-- What is being erased is not copied meanwhile; see `erasing` in rights.sql.
select pg_advisory_xact_lock_shared(hashtextextended('erasing ' || subject, 0)) from conversation
where thread = %(source)s

-- name: copy_owner
insert into conversation (thread, subject, copy_of)
select %(target)s, subject, thread from conversation where thread = %(source)s
on conflict do nothing

-- name: copy_blobs
insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
select %(target)s, checkpoint_ns, channel, version, type, blob from checkpoint_blobs where thread_id = %(source)s
on conflict do nothing

-- name: copy_writes
insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
select %(target)s, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob
from checkpoint_writes where thread_id = %(source)s
on conflict do nothing

-- name: copy_checkpoints
-- Of no run: the copy stays when a run of the original is deleted.
insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)
select %(target)s, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint,
       case when metadata ? 'thread_id' then metadata || jsonb_build_object('thread_id', %(target)s::text) else metadata end
           - 'run_id'
from checkpoints where thread_id = %(source)s
on conflict do nothing

-- name: retain
-- The newest checkpoints of each namespace stay. Safe while a run is on: only what is older than everything kept goes,
-- and a run adds newer rows, which refer to nothing older than the newest checkpoint's own values.
with ranked as (
    select thread_id, checkpoint_ns, checkpoint_id, checkpoint,
           row_number() over (partition by thread_id, checkpoint_ns order by checkpoint_id desc) as place
    from checkpoints where thread_id = any(%(threads)s)
), kept as (select * from ranked where place <= %(keep)s),
used as (
    select thread_id, checkpoint_ns, v.key as channel, v.value as version
    from kept, jsonb_each_text(checkpoint -> 'channel_versions') v
), blobs as (
    delete from checkpoint_blobs b where b.thread_id = any(%(threads)s)
    and exists (select 1 from used u where (u.thread_id, u.checkpoint_ns, u.channel)
                                         = (b.thread_id, b.checkpoint_ns, b.channel) and u.version > b.version)
    and not exists (select 1 from used u where (u.thread_id, u.checkpoint_ns, u.channel, u.version)
                                             = (b.thread_id, b.checkpoint_ns, b.channel, b.version))
), writes as (
    delete from checkpoint_writes w using ranked r where r.place > %(keep)s
    and (w.thread_id, w.checkpoint_ns, w.checkpoint_id) = (r.thread_id, r.checkpoint_ns, r.checkpoint_id)
)
delete from checkpoints c using ranked r where r.place > %(keep)s
and (c.thread_id, c.checkpoint_ns, c.checkpoint_id) = (r.thread_id, r.checkpoint_ns, r.checkpoint_id)
