/// Waking: when a message that waits is tried again, and which settings hold for its destination.
///
/// Pure data and functions: no clock, no thread, and randomness only from seeds that are given.
package org.slipstream.qmgr.wake;
