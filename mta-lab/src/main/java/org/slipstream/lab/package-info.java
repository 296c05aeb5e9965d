/// The queue manager of the server in a simulated world.
///
/// A [org.slipstream.lab.World] runs the events of an [org.slipstream.lab.EventList]. Each order of
/// the queue manager schedules its answer through a simulated spool, DNS and network. Time jumps
/// from one event to the next. The same [org.slipstream.lab.Scenario] gives the same transcript,
/// byte for byte. The [org.slipstream.lab.InvariantChecker] checks every order and every event
/// against the invariants of the queue manager.
package org.slipstream.lab;
