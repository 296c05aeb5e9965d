package org.slipstream.qmgr.sched;

/// A way of handing mail over, and the rules by which it serves its jobs.
///
/// Jobs and destinations carry it as a label. What a transport has to do at present is in [TransportQueues].
///
/// @param number transports are numbered in the order in which they appear
record Transport(int number, String name, ServiceRules rules) {}
