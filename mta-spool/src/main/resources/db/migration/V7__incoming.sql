-- State -1: never tried, never put off. Index message_due begins with the state, so a scan for new mail reads no deferred row.
update message set state = -1
 where state = 0 and attempts = 0 and next_millis <= greatest(created_millis, not_before_millis);
