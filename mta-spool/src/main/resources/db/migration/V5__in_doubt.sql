-- The register and the box are synced at the same time, so after a power cut the rows of the last group of letters may name
-- letters that the box does not have; nobody was told that those were safe. They have a greater seq than safe_seq and an
-- id of at least doubt_from_id. (Until now the box was synced first, and no row was ever in doubt.)
alter table standing add column safe_seq bigint default 0 not null;
alter table standing add column doubt_from_id bigint default 0 not null;
update standing set safe_seq = last_seq, doubt_from_id = last_id + 1;
