/// The decisions as an observer receives them, and the figures of a destination.
package org.slipstream.qmgr.trace;
