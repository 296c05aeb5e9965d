-- A message costs one row until something is known of its recipients: its envelope lies in the row as the box has it, and
-- rows of table recipient are made with the first outcome, lease or deferral. Null: they have been made.
alter table message add column envelope bytea;

-- What the messages name in the box, counted with every change: a start need not read the queue.
create table segment (
    number  bigint not null primary key,
    letters bigint not null,
    bytes   bigint not null                     -- of their contents
);
insert into segment (number, letters, bytes)
    select box_segment, count(*), sum(size_bytes) from message group by box_segment;

-- Messages whose content has a file of its own.
create table large_letter (
    message_id bigint not null primary key
);
insert into large_letter (message_id) select id from message where own_file;
