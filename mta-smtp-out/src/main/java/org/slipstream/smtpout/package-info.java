/// The SMTP client: a dialog without a socket, a wire without a dialog, and a carrier that joins
/// them on a thread.
///
/// ```
/// Carriers ── Carrier ─┬─ Opener ── ConnectAttempt   hosts and addresses, greeting to ready
///   (numbers)  (thread)├─ Traffic ── PipeDepth       messages under way, and how many
///                      ├─ CarrierInbox               orders and replies, the only place to wait
///                      └─ PendingReplies             exactly one reply to each order
/// dialog: commands, replies     wire: bytes     host, dns: addresses and routes
/// ```
///
/// Messages follow each other on a connection before they are answered: see `dialog.Pipeline`. Only
/// the peer, a timeout and a stop can end a connection early.
package org.slipstream.smtpout;
