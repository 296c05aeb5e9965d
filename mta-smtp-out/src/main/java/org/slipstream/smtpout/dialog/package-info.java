/// The client's half of SMTP (RFC 5321) and LMTP (RFC 2033) as arithmetic: a reply goes in; the next [Step] of the
/// handshake comes out, and after it the next [Move] of the [Pipeline] and the [ReplyEffects] on messages.
///
/// No socket, no clock and no thread lives here (a fence test watches), so a dialogue with the worst of servers is a
/// table in a test. Whoever drives a [ClientDialog] owns the wire, waits as long as the [Phase] allows and reports what
/// was heard, or that nothing more will be.
package org.slipstream.smtpout.dialog;
