/// How many at once to this destination, and whether at all.
///
/// Knows destinations by what deliveries told of them. Knows no entries and no connections.
package org.slipstream.qmgr.flow;
