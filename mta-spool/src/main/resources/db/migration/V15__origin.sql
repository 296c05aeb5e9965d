-- Who submitted the message; null: not known.
alter table message add column if not exists origin bytea;
