/// The intake of mail: relay policy, mailboxes, aliases, and the way of every message into the
/// spool.
package org.slipstream.server.intake;
