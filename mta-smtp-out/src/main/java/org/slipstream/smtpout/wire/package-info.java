/// Sockets, TLS and time: what carries bytes and replies between the client and one peer.
///
/// A [Wire] knows no SMTP beyond where a reply ends and how content is framed. Trouble with the peer is a value,
/// [Heard.Gone]; an [java.io.IOException] out of this package always means that our own letter could not be read.
package org.slipstream.smtpout.wire;
