-- The register. Written so that H2 (in PostgreSQL mode) and PostgreSQL both take it.

-- One row: how far the register has come. Letters with a greater seq lie in the box only.
create table standing (
    one          smallint not null primary key check (one = 1),
    last_seq     bigint   not null,
    last_id      bigint   not null,
    last_segment bigint   not null,
    last_offset  bigint   not null
);
insert into standing (one, last_seq, last_id, last_segment, last_offset) values (1, 0, 0, 0, 0);

create table message (
    id             bigint   not null primary key,
    seq            bigint   not null,
    box_segment    bigint   not null,
    box_offset     bigint   not null,
    own_file       boolean  not null,
    size_bytes     bigint   not null,
    created_millis bigint   not null,
    next_millis    bigint   not null,
    state          smallint not null,           -- 0 queued, 1 held, 2 corrupt
    attempts       integer  not null,
    delay_notified boolean  not null,
    recipients     integer  not null,           -- in the envelope; as many rows of table recipient
    sender_local   varchar,                     -- both null: the null sender
    sender_domain  varchar,
    body_type      smallint not null,           -- 0 7BIT, 1 8BITMIME, 2 BINARYMIME
    smtp_utf8      boolean  not null,
    envelope_id    varchar,
    dsn_return     smallint not null            -- 0 nothing said, 1 FULL, 2 HDRS
);
create index message_due on message (state, next_millis);

create table recipient (
    message_id   bigint   not null,
    number       integer  not null,
    local_part   varchar  not null,
    domain       varchar  not null,
    domain_key   varchar  not null,             -- in lower case
    original     varchar,
    notify_bits  smallint not null,             -- 1 NEVER, 2 SUCCESS, 4 FAILURE, 8 DELAY
    state        smallint not null,             -- 0 open, 1 delivered, 2 failed, 3 failed and reported
    reply_code   integer,                       -- null: not tried yet
    reply_status varchar,
    reply_text   varchar,                       -- lines divided by LF
    remote       varchar,
    at_millis    bigint   not null,
    primary key (message_id, number)
);
create index recipient_domain on recipient (domain_key);
