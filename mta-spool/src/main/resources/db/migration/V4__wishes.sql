-- What a sender asked of a message besides being delivered (see EnvelopeCodec), beside the envelope because that is
-- null once recipients have rows. Null: nothing.
alter table message add column wishes bytea;

-- Not to be made due before: the time its sender named, or 0.
alter table message add column not_before_millis bigint default 0 not null;
