-- The next messages with a recipient in a domain are one range of an index: a list by domain and an order for a domain cost what they
-- show.
drop index recipient_domain;
create index recipient_domain on recipient (domain_key, message_id);
