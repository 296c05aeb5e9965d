/// TLS reports (RFC 8460): how many sessions to a domain's servers were encrypted as its policy wants,
/// and why others were not, told to the domain's owner once a day. Writer, reader, and a summary in
/// words.
package org.slipstream.auth.tlsreport;
