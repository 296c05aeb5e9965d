/// The changes of messages in the order of the message log, for a reader beside the queue.
package org.slipstream.spool.follow;
