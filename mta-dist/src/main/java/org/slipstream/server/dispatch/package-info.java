/// Where the rooms meet: the desk takes the queue manager's orders to spool, network, mailboxes and reports, and brings
/// their answers back as events.
package org.slipstream.server.dispatch;
