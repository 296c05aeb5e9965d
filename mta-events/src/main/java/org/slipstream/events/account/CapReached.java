package org.slipstream.events.account;

/// An account that has sent as much as it may.
///
/// @param cap of recipients
/// @param time within which they count: `minute`, `hour`, `day`
public record CapReached(int cap, String time) {}
