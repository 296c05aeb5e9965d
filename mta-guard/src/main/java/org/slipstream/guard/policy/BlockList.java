package org.slipstream.guard.policy;

/// @param tagOnly mail of listed clients is accepted, and tagged
public record BlockList(String zone, boolean tagOnly) {}
