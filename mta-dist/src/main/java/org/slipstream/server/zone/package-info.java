/// What the records of a domain in DNS say about its mail, and what they lack: `./mta check --dns`.
/// The parsers of records are pure; [org.slipstream.server.zone.DomainCheck] asks.
package org.slipstream.server.zone;
