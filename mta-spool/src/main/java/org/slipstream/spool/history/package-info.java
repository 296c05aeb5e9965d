/// The history of messages: what happened to mail that may have left the queue already.
package org.slipstream.spool.history;
