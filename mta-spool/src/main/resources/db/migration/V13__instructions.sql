-- Instructions of operators for one message. Each null: there is none.
alter table message add column if not exists ending smallint;          -- 1 cancelled, 2 expired: it is returned
alter table message add column if not exists ending_reason varchar;
alter table message add column if not exists reroute varchar;          -- the next hop of its open recipients
alter table message add column if not exists priority smallint;        -- in place of the sender's
