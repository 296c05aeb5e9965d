/// The SMTP client: a dialogue without a socket, a wire without a dialogue, a carrier that joins them on a thread.
///
/// ```
/// Carriers ── Carrier ─┬─ Opener ── Introduction     hosts and addresses, greeting to ready
///   (numbers)  (thread)├─ Traffic ── PipeDepth       messages under way, and how many are worth it
///                      ├─ Mailbox                    orders and replies, the one place to wait
///                      └─ PendingReplies             each order is answered once
/// dialog: what is said     wire: how it travels     host, dns: where to
/// ```
///
/// Messages follow each other on a connection before they are answered: `dialog.Pipeline` tells how. Only the peer, a timeout and a stop can end a
/// connection early.
package org.slipstream.smtpout;
