-- What an ordinary commit has to read of a slot stays small, however often it was corrected (core/bounded.py).
alter table statement
    add column live     boolean not null default true, -- read by ordinary commits; the others were said by record.bounded_at
    add column carries  integer not null default 0,    -- sources of agreeing statements that are not live, counted here
    add column revision integer;                        -- of the record, when this statement changed it
create index statement_live on statement (subject, slot) where live and ended_at is null;
alter table record add column bounded_at timestamptz;   -- everything that is not live was said by then
