package org.slipstream.lab.study;

import java.util.Optional;
import java.util.OptionalDouble;

/// The prediction before anything is measured.
///
/// **The limiter.** The window stands at the server's limit L. Each good delivery counts f, so it
/// takes ⌈1/f⌉ of them until the window is L + 1. The next connection is one too many and is
/// refused; the very first refusal takes the window back to L and clears the count. So one cycle is
/// ⌈1/f⌉ deliveries and one refusal: a share of 1/(1 + ⌈1/f⌉) is refused. At L = 5: 1/6 for 1/N,
/// 1/4 for 1/√N because ⌈2.24⌉ is 3, 1/2 for 1.
///
/// **Congestion.** Of a window of N, P connections are served, Q wait in the queue, and the others
/// are outside. Each of those ends after a timeout of T seconds and is replaced by another; the
/// processes finish P deliveries in the time D of one. So (N − P − Q)/T of P/D + (N − P − Q)/T are
/// deferred. Feedback appears nowhere in it, except in what it makes of N. This is for connections
/// that are not cached: a cached one keeps its process, and then the queue does not move either.
///
/// **A bad server among K.** Each K-th delivery fails, so 1/K of the mail is deferred whatever the
/// feedback is. Between two failures are K − 1 successes. A failure takes one step and clears what
/// the successes have added up to; so the window grows as long as K − 1 successes are worth two
/// steps, and stands still where they are worth one. With 1/N a step takes N successes: the window
/// stops increasing where N + (N + 1) is more than K − 1, and does not shrink where N is less than
/// K. The good servers could bear more.
final class Theory {
    private static final double PERCENT = 100;
    private static final double ROUNDING = 1e-9;

    private Theory() {}

    /// Empty where the pencil is no help.
    ///
    /// @param window the average that was measured
    static OptionalDouble deferredPercent(Setup setup, double window) {
        return switch (setup.door()) {
            case Door.Limiter(int most) -> OptionalDouble.of(PERCENT / (1 + setup.style().goodPerStep(most)));
            case Door.Congested congested when !setup.cached() -> OptionalDouble.of(deferred(setup, congested, window));
            case Door.Congested _ -> OptionalDouble.empty();
            case Door.Balanced(int servers) -> OptionalDouble.of(PERCENT / servers);
        };
    }

    /// The two windows between which it stands in the end; empty where the pencil is no help.
    ///
    /// @param least after each failure
    /// @param most before it
    record Stall(int least, int most) {}

    /// The first connections are on their way before anything is known, and one of them fails.
    static Optional<Stall> stall(Setup setup) {
        if (!(setup.door() instanceof Door.Balanced(int servers))) {
            return Optional.empty();
        }
        int least = setup.initialConcurrency() - 1;
        int most = grown(setup, least, servers - 1);
        while (most - 1 != least) {
            least = most - 1;
            most = grown(setup, least, servers - 1);
        }
        return Optional.of(new Stall(least, most));
    }

    private static int grown(Setup setup, int from, int successes) {
        int window = from;
        double success = 0;
        for (int i = 0; i < successes && window < Setup.CLIENT_LIMIT; i++) {
            success += setup.style().positive.of(window);
            if (success >= 1 - ROUNDING) {
                window++;
                success--;
            }
        }
        return window;
    }

    private static double deferred(Setup setup, Door.Congested door, double window) {
        double timeoutMillis = switch (door.overflow()) {
            case SYN_IS_DROPPED -> Setup.CONNECT_TIMEOUT_MILLIS;
            case ACK_IS_DROPPED -> Setup.GREETING_TIMEOUT_MILLIS;
        };
        double outside = (window - door.processes() - door.places()) / timeoutMillis;
        double inside = door.processes() / setup.deliveryMillis();
        return PERCENT * outside / (outside + inside);
    }
}
