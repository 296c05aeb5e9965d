package org.slipstream.qmgr.sched;

/// A transport with its scheduling rules.
///
/// Jobs and destinations refer to it. Its current state is in [TransportQueues].
///
/// @param number transports are numbered in the order of their first use
record Transport(int number, String name, ServiceRules rules) {}
