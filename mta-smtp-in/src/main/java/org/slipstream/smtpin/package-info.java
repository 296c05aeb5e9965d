/// The listener: bytes in, envelope and draft out. SubEthaSMTP carries the accept loop and the life of a session; the
/// conversation is ours.
///
/// A session's way through the classes: [SmtpListener] lets it in, [Conversation] reads lines from its [SmtpStream], the parser of
/// `command` makes commands of them, `protocol` says what each means where the session stands, and Conversation does it: [PolicyGate]
/// asks the policy and the [MessageHandler] who may send what to whom, [Authenticator] carries a login of `auth`, and [DataPhase] takes the
/// message into an [IncomingMessage] with the scanners of `data`.
///
/// What a port is for is data ([ServicePolicy][org.slipstream.smtpin.protocol.ServicePolicy] and its limits in a [ListenerConfig]); what
/// stands behind it is a [ListenerServices].
package org.slipstream.smtpin;
