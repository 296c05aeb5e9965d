/// Aggregate reports of DMARC (RFC 9990): what a receiver found out about mail from a domain, told to
/// the domain's owner once a day. Writer, reader, and a summary in words.
package org.slipstream.auth.aggregate;
