/// The spool: a message log, which is the commit, and a queue index that is made from it.
package org.slipstream.spool;
