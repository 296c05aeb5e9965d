/// The listener: bytes in, envelope and draft out. SubEthaSMTP provides the accept loop and the
/// lifecycle of a session; the SMTP session is ours.
///
/// A session's way through the classes: [SmtpListener] admits it, and [SmtpSession] reads lines
/// from its [SmtpStream]. The parser of `command` turns them into commands, `protocol` decides what
/// each means in the session's state, and SmtpSession carries out the action: [PolicyGate] asks the
/// policy and the [MessageHandler], [Authenticator] runs a login of `auth`, and [DataPhase] reads
/// the message into an [IncomingMessage] with the scanners of `data`.
///
/// A port is configured by data ([ServicePolicy][org.slipstream.smtpin.protocol.ServicePolicy] and
/// limits in a [ListenerConfig]); the application behind it is a [ListenerServices].
package org.slipstream.smtpin;
