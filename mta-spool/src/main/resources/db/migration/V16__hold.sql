-- Who holds the message, since when, and why. Null: not known, or nobody.
alter table message add column if not exists hold_author varchar;
alter table message add column if not exists hold_millis bigint;
alter table message add column if not exists hold_reason varchar;
