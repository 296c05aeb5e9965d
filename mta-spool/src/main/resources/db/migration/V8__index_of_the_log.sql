-- The log is the commit, and these tables are an index of it. Everything before last_segment, last_offset is in them.
alter table message drop column if exists seq;
alter table standing drop column if exists last_seq;
alter table standing drop column if exists safe_seq;
alter table standing drop column if exists doubt_from_id;

-- (If it exists, or does not: H2 makes tables outside of transactions, and a start may be killed in the middle.)

-- How many times the log was applied: tells whether a transaction of which nobody knows the end was executed.
alter table standing add column if not exists applied bigint default 0 not null;

-- True when the log alone is enough to make these tables again. Until now times of next attempts, replies and hosts stood only
-- here.
alter table standing add column if not exists in_log boolean default false not null;
update standing set in_log = true where last_segment = 0;
