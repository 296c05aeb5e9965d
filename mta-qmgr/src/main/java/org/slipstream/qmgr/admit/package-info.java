/// The way of a message into the scheduler: it enters the active set, its recipients are read in batches, and each
/// batch is routed and placed.
package org.slipstream.qmgr.admit;
