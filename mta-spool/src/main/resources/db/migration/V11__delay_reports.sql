-- How many of the delay times a report to the sender covers. The column delay_notified stays, unused: a start may be killed
-- in the middle, and these lines must be able to run again.
alter table message add column if not exists delay_reports int default 0 not null;
update message set delay_reports = 1 where delay_notified and delay_reports = 0;
