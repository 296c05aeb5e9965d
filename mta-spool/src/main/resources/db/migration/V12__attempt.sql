-- The latest attempts of messages that stay in the queue; a message that is delivered at its first attempt has none.
create table if not exists attempt (
    message_id      bigint not null,
    at_millis       bigint not null,
    number          integer not null,             -- the first recipient with this reply
    remote          varchar not null,
    phase           varchar(40) not null,         -- empty: not known
    reply_code      integer not null,
    reply_status    varchar(20),
    reply_text      varchar not null,
    took_millis     bigint not null,
    recipients      integer not null,
    primary key (message_id, at_millis, number)
);
-- The reason of an outcome without an attempt; null after an attempt.
alter table recipient add column if not exists reason varchar(40);
