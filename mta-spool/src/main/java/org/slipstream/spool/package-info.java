/// The spool: a message log that is the commit, and a queue index that is made of it.
package org.slipstream.spool;
