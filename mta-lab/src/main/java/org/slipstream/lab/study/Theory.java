package org.slipstream.lab.study;

import java.util.OptionalDouble;

/// What a pencil says before anything is measured.
///
/// **The limiter.** The window stands at the server's limit L. Each good delivery counts f, so it takes ⌈1/f⌉ of them until the
/// window is L + 1. The next connection is one too many and is refused; the very first refusal takes the window back to L and
/// clears the count. So one cycle is ⌈1/f⌉ deliveries and one refusal: a share of 1/(1 + ⌈1/f⌉) is refused. At L = 5: 1/6 for
/// 1/N, 1/4 for 1/√N because ⌈2.24⌉ is 3, 1/2 for 1.
///
/// **Congestion.** Of a window of N, P connections are served, Q wait in the queue, and the others are outside. Each of those ends after
/// a timeout of T seconds and is replaced by another; the processes finish P deliveries in the time D of one. So
/// (N − P − Q)/T of P/D + (N − P − Q)/T are deferred. Feedback appears nowhere in it, except in what it makes of N. This is for
/// connections that are not cached: a cached one keeps its process, and then the queue does not move either.
final class Theory {
    private static final double PERCENT = 100;

    private Theory() {}

    /// Empty where the pencil is no help.
    ///
    /// @param window the average that was measured
    static OptionalDouble deferredPercent(Setup setup, double window) {
        return switch (setup.door()) {
            case Door.Limiter(int most) -> OptionalDouble.of(PERCENT / (1 + setup.style().goodPerRefusal(most)));
            case Door.Congested congested when !setup.cached() -> OptionalDouble.of(deferred(setup, congested, window));
            case Door.Congested _ -> OptionalDouble.empty();
        };
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
