-- What is known of other hosts. The register only keeps it; what it means is the placement's business.
create table host (
    host         varchar  not null,             -- key: address, port, way of presenting ourselves
    kind         varchar  not null,
    name         varchar  not null,             -- what it was called last
    since_millis bigint   not null,
    until_millis bigint   not null,
    failures     integer  not null,
    words        varchar  not null,
    author       varchar  not null,
    primary key (host, kind)
);
