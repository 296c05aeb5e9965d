package org.slipstream.lab.study;

import org.slipstream.lab.Latency;

/// How long the small things take of which the document says nothing: assumptions, all of them.
///
/// One of them matters: how long a refusal takes, compared with the time between the ends of two
/// deliveries. While a refusal is on its way, further good deliveries widen the window further. At
/// once is what the published figures look like, and what a local network gives.
///
/// @param handover from the queue manager's choice until the first packet of the new connection is
///     at the server
/// @param greeting from there to the end of EHLO, or to the 421
/// @param overhead of a delivery on top of a second per recipient: MAIL, DATA, the queue files of
///     both sides
public record Habits(Latency.Uniform handover, Latency.Uniform greeting, Latency.Uniform overhead) {
    /// A local network, and disks of 2007.
    public static Habits usual() {
        return new Habits(new Latency.Uniform(1, 10), new Latency.Uniform(1, 10), new Latency.Uniform(10, 60));
    }

    /// The same over half the world: two round trips until the 421.
    static Habits slow() {
        return new Habits(new Latency.Uniform(80, 120), new Latency.Uniform(80, 120), new Latency.Uniform(10, 60));
    }

    static double meanMillis(Latency.Uniform latency) {
        return (latency.leastMillis() + latency.mostMillis()) / 2.0;
    }
}
