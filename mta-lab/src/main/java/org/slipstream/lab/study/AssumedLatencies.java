package org.slipstream.lab.study;

import org.slipstream.lab.Latency;

/// The latencies of an experiment that the published document does not state: all of them are
/// assumptions.
///
/// Only the latency of a refusal matters, compared with the time between the ends of two
/// deliveries. While a refusal is under way, further good deliveries widen the window further. The
/// published figures fit an immediate refusal, as on a local network.
///
/// @param handover from the queue manager's choice to the arrival of the connection's first packet
///     at the server
/// @param greeting from that packet to the end of EHLO, or to the 421
/// @param overhead of a delivery, in addition to one second per recipient: MAIL, DATA and the queue
///     files of both sides
public record AssumedLatencies(Latency.Uniform handover, Latency.Uniform greeting, Latency.Uniform overhead) {
    /// A local network and disks of 2007.
    public static AssumedLatencies localNetwork() {
        return new AssumedLatencies(new Latency.Uniform(1, 10), new Latency.Uniform(1, 10),
                new Latency.Uniform(10, 60));
    }

    /// A network with long round trips, two of them until the 421.
    static AssumedLatencies distantServer() {
        return new AssumedLatencies(new Latency.Uniform(80, 120), new Latency.Uniform(80, 120),
                new Latency.Uniform(10, 60));
    }

    static double meanMillis(Latency.Uniform latency) {
        return (latency.leastMillis() + latency.mostMillis()) / 2.0;
    }
}
