/// The client's half of SMTP (RFC 5321) and LMTP (RFC 2033) as pure logic. A reply goes in; the
/// next [HandshakeStep] comes out, and after the handshake the next [PipelineStep] of the
/// [Pipeline] and the [ReplyEffects] on messages.
///
/// Without socket, clock and thread (a test checks this), so a dialog with the worst of servers is
/// a table in a test. The driver of a [ClientDialog] owns the wire, waits within the timeout of the
/// [DialogPhase], and reports each reply or the end of the connection.
package org.slipstream.smtpout.dialog;
