/// The inbox and the thread of the queue manager. This is the only package of the module that uses
/// clocks, locks and threads.
package org.slipstream.qmgr.run;
