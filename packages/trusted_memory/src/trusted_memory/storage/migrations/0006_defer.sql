-- A subject with unread messages has a job that reads them, once this transaction is committed; after `seconds`, where a
-- turn is about to read them itself. One waiting job is enough; it is held until then, so that it does not start before
-- the message is there to be read.
create function defer_reading(reader text, who text, arguments jsonb, seconds float8) returns void language plpgsql as $$
begin
    if not exists (select from transcript where subject = who and extractor is null and kind = 'user') then
        return;
    end if;
    loop
        if seconds > 0 then
            perform from procrastinate_jobs where queueing_lock = who and status = 'todo' for share;
        else
            update procrastinate_jobs set scheduled_at = null where queueing_lock = who and status = 'todo';
        end if;
        exit when found;
        begin
            perform procrastinate_defer_jobs_v1(array[row('default', reader, 0, who, who, arguments,
                case when seconds > 0 then now() + make_interval(secs => seconds) end)::procrastinate_job_to_defer_v1]);
            exit;
        exception when unique_violation then  -- somebody else's came first: hold that one
        end;
    end loop;
end $$;
