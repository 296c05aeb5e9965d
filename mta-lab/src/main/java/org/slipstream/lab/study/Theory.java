package org.slipstream.lab.study;

import java.util.Optional;
import java.util.OptionalDouble;

/// The predictions of the deferred share and of the final window, without simulation.
///
/// **Connection limit.** The window stands at the server's limit L. Each good delivery adds f to a
/// counter, so ⌈1/f⌉ good deliveries widen the window to L + 1. The next connection exceeds the
/// limit and is refused. The first refusal takes the window back to L and clears the counter. One
/// cycle thus has ⌈1/f⌉ deliveries and one refusal, and the refused share is 1/(1 + ⌈1/f⌉). At
/// L = 5 it is 1/6 for 1/N, 1/4 for 1/√N (2.24 rounds up to 3), and 1/2 for 1.
///
/// **Congestion.** In a window of N, P connections are served, Q are queued, and N − P − Q
/// retransmit. Each retransmitting connection ends after a timeout of T seconds, and a new one
/// replaces it. The processes finish P deliveries in the time D of one delivery. So (N − P − Q)/T
/// of P/D + (N − P − Q)/T recipients are deferred. Feedback acts only through N. The formula is for
/// connections that are not cached: a cached connection keeps its process, so the queue does not
/// move.
///
/// **One bad server among K.** Each K-th delivery fails, so 1/K of the mail is deferred with any
/// feedback. K − 1 successes come between two failures. A failure takes one step and clears the
/// counter of successes. The window grows while K − 1 successes are worth two steps, and it is
/// stable where they are worth one. With 1/N a step takes N successes. So growth ends where
/// N + (N + 1) exceeds K − 1, and shrinking ends where N is less than K. The good servers could
/// serve more connections.
final class Theory {
    private static final double PERCENT = 100;
    private static final double ROUNDING = 1e-9;

    private Theory() {}

    /// The predicted share; empty for a congested server with cached connections.
    ///
    /// @param window the measured average
    static OptionalDouble deferredPercent(Experiment experiment, double window) {
        return switch (experiment.server()) {
            case ServerModel.Limited(int connections) ->
                OptionalDouble.of(PERCENT / (1 + experiment.feedback().successesPerStep(connections)));
            case ServerModel.Congested congested when !experiment.cached() ->
                OptionalDouble.of(deferred(experiment, congested, window));
            case ServerModel.Congested _ -> OptionalDouble.empty();
            case ServerModel.Balanced(int servers) -> OptionalDouble.of(PERCENT / servers);
        };
    }

    /// The two sizes between which the window moves at the end of a run.
    ///
    /// @param least after each failure
    /// @param most before each failure
    record FinalWindow(int least, int most) {}

    /// The predicted final window behind a load balancer; empty for the other servers.
    ///
    /// The client opens its first connections before it has any feedback, and one of them fails.
    static Optional<FinalWindow> finalWindow(Experiment experiment) {
        if (!(experiment.server() instanceof ServerModel.Balanced(int servers))) {
            return Optional.empty();
        }
        int least = experiment.initialConcurrency() - 1;
        int most = grown(experiment, least, servers - 1);
        while (most - 1 != least) {
            least = most - 1;
            most = grown(experiment, least, servers - 1);
        }
        return Optional.of(new FinalWindow(least, most));
    }

    private static int grown(Experiment experiment, int from, int successes) {
        int window = from;
        double success = 0;
        for (int i = 0; i < successes && window < Experiment.CLIENT_LIMIT; i++) {
            success += experiment.feedback().positive.of(window);
            if (success >= 1 - ROUNDING) {
                window++;
                success--;
            }
        }
        return window;
    }

    private static double deferred(Experiment experiment, ServerModel.Congested server, double window) {
        double timeoutMillis = switch (server.overflow()) {
            case SYN_DROPPED -> Experiment.CONNECT_TIMEOUT_MILLIS;
            case ACK_DROPPED -> Experiment.GREETING_TIMEOUT_MILLIS;
        };
        double timeouts = (window - server.processes() - server.queueLength()) / timeoutMillis;
        double deliveries = server.processes() / experiment.deliveryMillis();
        return PERCENT * timeouts / (timeouts + deliveries);
    }
}
