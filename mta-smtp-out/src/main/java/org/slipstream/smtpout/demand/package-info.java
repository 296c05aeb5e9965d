/// The TLS that the owners of domains demand of their hosts, found before mail is grouped by host:
/// MTA-STS (RFC 8461) and DANE (RFC 7672).
package org.slipstream.smtpout.demand;
