-- The tables that all nodes share. Each part of the program adds its own with LogDatabase.define.

-- A shard's owner. The lease is compared with this database's clock only. segment and length are the end
-- of the log, written by each group in its first statement.
create table if not exists shard (
    number int primary key,
    epoch bigint not null default 0,
    owner text,
    lease_until timestamptz,
    segment bigint not null default 0,
    length bigint not null default 0,
    move_to text
) with (fillfactor = 20);

-- The segments that are there, and the table of the ring that has their pages.
create table if not exists segment (
    shard int not null,
    number bigint not null,
    ring int not null,
    primary key (shard, number)
);

create table if not exists mark (
    shard int not null,
    name text not null,
    primary key (shard, name)
);

-- Large contents in pieces of 1 MiB. Pieces that are set aside belong to no message.
create table if not exists content (
    shard int not null,
    id bigint not null,
    aside boolean not null default false,
    part int not null,
    bytes bytea not null,
    primary key (shard, id, aside, part)
);
alter table content alter column bytes set storage external;
