/// The brain in a simulated world.
///
/// [org.slipstream.lab.World] is a heap of things that happen at their times. Every order of the
/// queue manager schedules its answer through a simulated spool, DNS and network; time is a number
/// that jumps from one event to the next. The same [org.slipstream.lab.Scenario] gives the same
/// transcript, byte for byte. [org.slipstream.lab.Referee] watches every order and every event, and
/// knows what must never be.
package org.slipstream.lab;
