package org.slipstream.lab.study;

import org.slipstream.lab.Latency;

/// How long the small things take of which the document says nothing: assumptions, all of them. None of them matters much, and
/// the tests show that.
///
/// @param handover from the queue manager's choice until the first packet of the new connection is at the server
/// @param greeting from there to the end of EHLO, or to the 421
/// @param overhead of a delivery on top of a second per recipient: MAIL, DATA, the queue files of both sides
public record Habits(Latency handover, Latency greeting, Latency overhead) {
    /// A local network, and disks of 2007.
    public static Habits usual() {
        return new Habits(new Latency.Uniform(1, 10), new Latency.Uniform(1, 10), new Latency.Uniform(10, 60));
    }
}
