-- The job queue is procrastinate's; these are our questions to it.

-- name: defer
select defer_reading(%(reader)s, %(subject)s, %(arguments)s, %(seconds)s)

-- name: release_queueing_lock
update procrastinate_jobs set queueing_lock = null where id = %(job)s

-- name: remember_problem
-- procrastinate keeps no reason: it travels with the arguments, and the next attempt is handed it.
update procrastinate_jobs set args = args || jsonb_build_object('problem', %(problem)s::text) where id = %(job)s

-- name: leftovers
-- Those whose jobs failed are tried again after ten minutes, then twice as long each time, but every day: an outage
-- heals by itself, and a message that nothing can read does not cost a model call every ten minutes for ever.
select distinct t.subject from transcript t
where t.extractor is null and t.kind = 'user' and t.recorded_at < now() - make_interval(secs => %(seconds)s)
  and not exists (
    select 1 from procrastinate_jobs j left join procrastinate_events e on e.job_id = j.id and e.type = 'failed'
    where j.lock = t.subject
    having count(*) filter (where j.status in ('todo', 'doing')) > 0
        or max(e.at) filter (where j.status = 'failed')
           > now() - least(interval '1 day', interval '10 minutes' * power(2, least(count(distinct j.id), 8) - 1)))
limit 500

-- name: due
select subject, array_agg(slot) as slots from (
    select subject, slot from record where changes_at <= %(now)s order by changes_at limit 1000) r
group by subject

-- name: lag
select count(*) as read,
       percentile_cont(0.5) within group (order by seconds) as p50,
       percentile_cont(0.95) within group (order by seconds) as p95,
       (select count(*) from transcript where extractor is null and kind = 'user') as unread,
       (select coalesce(jsonb_object_agg(status, n), '{}') from (
           select status, count(*) as n from procrastinate_jobs where task_name = 'memory.read_subject'
           group by status) s) as jobs
from (select extract(epoch from read_at - recorded_at)::float as seconds from transcript
      where kind = 'user' and read_at > now() - make_interval(mins => %(minutes)s)) l

-- name: failed
select j.id, j.lock as subject, j.attempts, max(e.at) as failed_at, j.args->>'problem' as problem
from procrastinate_jobs j join procrastinate_events e on e.job_id = j.id and e.type = 'failed'
where j.status = 'failed' group by j.id order by failed_at desc limit %(most)s

-- name: retry_failed
update procrastinate_jobs set status = 'todo', queueing_lock = null, attempts = 0, scheduled_at = null, worker_id = null
where status = 'failed'

-- name: revive_stalled
update procrastinate_jobs j set status = 'todo', queueing_lock = null, worker_id = null, scheduled_at = null
where j.status = 'doing' and not exists (
    select 1 from procrastinate_workers w
    where w.id = j.worker_id and w.last_heartbeat > now() - make_interval(secs => %(seconds)s))

