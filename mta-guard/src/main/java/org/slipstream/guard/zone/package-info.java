/// The check of the records that a domain has in DNS for its mail: `mta check --dns`.
/// The parsers of records are pure; [org.slipstream.guard.zone.DomainCheck] asks.
package org.slipstream.guard.zone;
