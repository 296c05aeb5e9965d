/// What the message log says of messages, in order, for a reader beside the queue.
package org.slipstream.spool.follow;
