/// The client's side of SMTP (RFC 5321) and LMTP (RFC 2033) as pure functions. A reply goes in; the
/// next [HandshakeStep] comes out, and after the handshake the next [Move] of the [Pipeline] and the
/// [ReplyEffects] on messages.
///
/// The package has no socket, clock or thread (a test checks it), so a dialogue with a faulty server
/// is a table in a test. The caller of a [ClientDialog] owns the connection, waits as long as the
/// [DialogPhase] allows, and reports each reply or that none will follow.
package org.slipstream.smtpout.dialog;
