/// Connects the modules: the dispatcher passes the queue manager's orders to spool, network,
/// mailboxes and reports, and returns their answers as events.
package org.slipstream.server.dispatch;
