/// The queue manager in the real world: its inbox and its one thread. The only package of this room that may know of
/// clocks, locks and threads.
package org.slipstream.qmgr.run;
