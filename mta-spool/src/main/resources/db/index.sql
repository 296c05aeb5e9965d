-- The index of the message log, for H2 (in PostgreSQL mode) and PostgreSQL. It can be made again from the log at any
-- time, so tables of another version are never migrated.

-- One row: how far the index has come.
create table standing (
    one          smallint not null primary key check (one = 1),
    last_id      bigint   not null,             -- the greatest queue id
    last_segment bigint   not null,             -- everything before last_segment, last_offset is in these tables
    last_offset  bigint   not null,
    applied      bigint   not null              -- number of transactions: shows whether a doubtful one was executed
);
insert into standing (one, last_id, last_segment, last_offset, applied) values (1, 0, 0, 0, 0);

-- A message costs one row until something is known of its recipients: its envelope is in the row, and rows of table
-- recipient are made with the first outcome, lease or deferral.
create table message (
    id                bigint   not null primary key,
    segment           bigint   not null,        -- the place of its record in the log
    segment_offset    bigint   not null,
    own_file          boolean  not null,
    size_bytes        bigint   not null,
    created_millis    bigint   not null,
    next_millis       bigint   not null,
    not_before_millis bigint   not null,        -- not to be made due before: the time that the sender named, or 0
    state             smallint not null,        -- -1 never tried and never put off, 0 queued, 1 held, 2 corrupt
    attempts          integer  not null,
    delay_reports     integer  not null,        -- how many of the delay times a report to the sender covers
    recipients        integer  not null,        -- in the envelope; as many rows of table recipient
    sender_local      varchar,                  -- both null: the null sender
    sender_domain     varchar,
    body_type         smallint not null,        -- 0 7BIT, 1 8BITMIME, 2 BINARYMIME
    smtp_utf8         boolean  not null,
    envelope_id       varchar,
    dsn_return        smallint not null,        -- 0 nothing said, 1 FULL, 2 HDRS
    envelope          bytea,                    -- null: rows of table recipient have been made
    options           bytea,                    -- what a sender asked besides being delivered; null: nothing
    origin            bytea,                    -- who submitted the message; null: not known
    ending            smallint,                 -- instructions of operators, each null when there is none;
    ending_reason     varchar,                  -- ending: 1 cancelled, 2 expired, 3 deleted
    reroute           varchar,                  -- the next hop of its open recipients
    priority          smallint,                 -- in place of the sender's
    hold_author       varchar,                  -- who holds the message, since when, and why
    hold_millis       bigint,
    hold_reason       varchar
);
-- The index begins with the state, so a scan for new mail reads no deferred row.
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
    reason       varchar(40),                   -- of an outcome without an attempt; null after an attempt
    primary key (message_id, number)
);
-- The next messages with a recipient in a domain are one range: a list or an order by domain costs what it shows.
create index recipient_domain on recipient (domain_key, message_id);

-- The latest attempts of messages that stay in the queue; a message that is delivered at its first attempt has none.
create table attempt (
    message_id   bigint      not null,
    at_millis    bigint      not null,
    number       integer     not null,          -- the first recipient with this reply
    remote       varchar     not null,
    phase        varchar(40) not null,          -- empty: not known
    reply_code   integer     not null,
    reply_status varchar(20),
    reply_text   varchar     not null,
    took_millis  bigint      not null,
    recipients   integer     not null,
    primary key (message_id, at_millis, number)
);

-- What is known of other hosts. The index only keeps it; the placement gives it a meaning.
create table host (
    host         varchar  not null,             -- key: address, port, way of presenting ourselves
    kind         varchar  not null,
    name         varchar  not null,             -- the latest name of this host
    since_millis bigint   not null,
    until_millis bigint   not null,
    failures     integer  not null,
    words        varchar  not null,
    author       varchar  not null,
    primary key (host, kind)
);

-- Orders of operators that stay in force until their end. The queue manager gives them a meaning.
create table standing_order (
    kind         varchar  not null,
    name         varchar  not null,
    setting      varchar  not null,             -- empty when there is nothing to set
    words        varchar  not null,
    author       varchar  not null,
    since_millis bigint   not null,
    until_millis bigint   not null,
    primary key (kind, name)
);

-- The messages of each segment, counted with every change: a start need not read the queue.
create table segment (
    number   bigint not null primary key,
    messages bigint not null,
    bytes    bigint not null                    -- of their contents
);

-- Messages whose content has a file of its own.
create table large_message (
    message_id bigint not null primary key
);

-- The last table: without its row the others may be incomplete.
create table index_schema (
    version integer not null
);
insert into index_schema (version) values (2);
