package org.slipstream.qmgr.place;

import org.slipstream.qmgr.wake.LimitKey;

/// A limit of which this shard lacks a lane for the next delivery.
///
/// @param limit of the server
public record LackingLane(LimitKey key, int limit) {}
