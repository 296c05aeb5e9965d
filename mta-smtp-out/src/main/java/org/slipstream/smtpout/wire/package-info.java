/// Sockets, TLS and timeouts: carries bytes and replies between the client and one peer.
///
/// A [Wire] knows of SMTP only where a reply ends and how content is framed. A failure of the peer
/// is a value, [WireInput.Ended]; an [java.io.IOException] out of this package always means that
/// stored content could not be read.
package org.slipstream.smtpout.wire;
