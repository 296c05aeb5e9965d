/// The decisions as an observer receives them.
package org.slipstream.qmgr.trace;
