/// Local delivery: one file per message and mailbox, in Maildirs.
package org.slipstream.local.maildir;
