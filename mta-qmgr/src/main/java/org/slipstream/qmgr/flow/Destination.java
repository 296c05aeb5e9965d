package org.slipstream.qmgr.flow;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;

import java.util.List;
import java.util.Optional;

/// The concurrency window and the state of one destination, learned from its deliveries.
///
/// A mail server that is down costs a connect timeout for each entry that tries it. So after too
/// many failures ([Window]) the destination is dead: waiting entries are deferred at once, with the
/// reason and without an attempt (PF-10), and so are new ones (PF-22). The state is dropped when no
/// entry waits or runs, unless the destination is dead or suspended.
///
/// A failure is one of connection or handshake. A server that replies is alive, whatever it replies
/// (PF-06).
///
/// **Transitions**, by state and call. A refused call is a programming error and throws.
///
/// | State | good | bad | revive | suspend | resume |
/// |---|---|---|---|---|---|
/// | Live | Live, grows (PF-03, PF-11) | Live, shrinks (PF-04) or Dead (PF-08) | refused | Suspended (PF-15) | refused |
/// | Dead | Live (PF-09) | Dead | Live (PF-09) | refused | refused |
/// | Suspended | Suspended | Suspended | refused | refused | Live (PF-15) |
///
/// In cells without a change of state, growth or shrinking, nothing is counted: failures after the
/// death of a destination add no information, and a destination with a rate delay has a window of
/// 1.
public final class Destination {
    private static final DestinationState LIVE = new DestinationState.Live();

    private FlowRules rules;
    private final Window window;
    private DestinationState state = LIVE;

    public Destination(FlowRules rules) {
        this.rules = rules;
        this.window = new Window(rules);
    }

    /// Other rules. The learned window stays, up to its new limit; a window at its former limit begins
    /// again where a new one begins.
    public void change(FlowRules others) {
        rules = others;
        window.change(others);
    }

    public DestinationState state() {
        return state;
    }

    public boolean isLive() {
        return state == LIVE;
    }

    public boolean isDead() {
        return state instanceof DestinationState.Dead;
    }

    /// Deliveries that may run at once.
    public int allowed() {
        return isLive() ? window.size() : 0;
    }

    public boolean isRateLimited() {
        return rules.rateDelayMillis() > 0;
    }

    /// The figures, for observers.
    ///
    /// @param window 0 when dead, -1 when suspended
    /// @param feedback of the last session: positive when it worked, negative when it failed, 0
    /// when it did not count
    public record FlowFigures(int window, int limit, double feedback, double success, double failure,
            double failedCohorts) {}

    public FlowFigures figures() {
        int size = switch (state) {
            case DestinationState.Live _ -> window.size();
            case DestinationState.Dead _ -> 0;
            case DestinationState.Suspended _ -> -1;
        };
        return new FlowFigures(size, rules.concurrencyLimit(), window.feedback(), window.success(), window.failure(),
                window.failedCohorts());
    }

    /// Positive feedback: a session worked. True when that revived a dead destination.
    ///
    /// @param running deliveries to the destination, including the reported one
    public boolean good(int running) {
        if (isDead()) {
            revive(running);
            return true;
        }
        if (isLive()) {
            window.good(running);
        }
        return false;
    }

    /// A connection is up. True when that counts as positive feedback, before the first end of a
    /// delivery.
    ///
    /// @param running deliveries to the destination
    public boolean opened(int running) {
        return isLive() && window.opened(running);
    }

    /// Negative feedback: a connection or handshake failed. True when the destination is dead now.
    public boolean bad(Reply reason, long untilMillis) {
        if (isLive() && window.bad()) {
            state = new DestinationState.Dead(untilMillis, reason);
            return true;
        }
        return false;
    }

    /// Ends the dead time. The window becomes the number of running deliveries, or the initial one.
    public void revive(int running) {
        require(DestinationState.Dead.class, "revived");
        window.revive(running);
        state = LIVE;
    }

    /// Starts the rate delay after a delivery and returns its end.
    public long suspend(long nowMillis) {
        require(DestinationState.Live.class, "suspended");
        long until = nowMillis + rules.rateDelayMillis();
        state = new DestinationState.Suspended(until);
        return until;
    }

    /// Ends the rate delay.
    public void resume() {
        require(DestinationState.Suspended.class, "resumed");
        window.resume();
        state = LIVE;
    }

    private void require(Class<? extends DestinationState> expected, String what) {
        if (!expected.isInstance(state)) {
            throw new IllegalStateException("a destination cannot be " + what + " in the state " + state);
        }
    }

    /// The reply for recipients that are deferred without an attempt; empty when they may wait.
    public Optional<Reply> suspension() {
        return switch (state) {
            case DestinationState.Live _,DestinationState.Suspended _ -> Optional.empty();
            case DestinationState.Dead dead -> Optional.of(suspended(dead.reason()));
        };
    }

    /// The reply of a recipient that is deferred without an attempt for this reason.
    public static Reply suspended(Reply reason) {
        return new Reply(reason.code(), Optional.of(reason.status().orElse(EnhancedStatus.of("4.4.1"))),
                List.of("delivery temporarily suspended: " + reason.text()));
    }
}
