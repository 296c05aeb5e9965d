/// The listener: bytes in, envelope and draft out. SubEthaSMTP carries sockets, sessions and the change to TLS; the
/// conversation is ours.
///
/// A session's way through the classes: [SmtpListener] lets it in, [Conversation] reads lines from its [Wire], the parser of
/// `command` makes commands of them, and [Intake] takes the message with the scanner of `data`. The house behind the
/// [MailDoor] decides who may send what to whom.
package org.slipstream.smtpin;
