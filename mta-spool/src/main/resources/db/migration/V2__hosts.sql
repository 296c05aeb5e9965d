-- What is known of hosts (destdb): kept so that a restart does not knock again at every closed door.
-- The register stores these rows and does not understand them; until and since are milliseconds since 1970.
create table host (
    host_key     varchar not null primary key,
    state        varchar not null,
    reason       varchar not null,
    author       varchar not null,              -- empty: nobody but the server itself
    until_millis bigint  not null,              -- the greatest bigint: no end
    since_millis bigint  not null,
    data         varchar not null
);
