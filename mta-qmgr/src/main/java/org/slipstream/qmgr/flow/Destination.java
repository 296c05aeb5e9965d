package org.slipstream.qmgr.flow;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;

import java.util.List;
import java.util.Optional;

/// What deliveries have taught about one destination: the number of deliveries that it bears, and whether it works at all.
///
/// A mail server that is down costs a connect timeout for each entry that tries it. So after too many failures ([Window])
/// the destination is dead: everything that waits for it is deferred at once, with the reason and without a try (PF-10), and
/// so is what arrives for it (PF-22). Nothing is remembered of a destination for which nothing waits or runs, unless it is
/// dead or suspended.
///
/// A failure is one of connection or handshake. A server that answers is alive, whatever it answers (PF-06).
///
/// **Transitions**, by state and call. A refused call is a mistake of the caller and throws.
///
/// | State | good | bad | revive | suspend | resume |
/// |---|---|---|---|---|---|
/// | Live | Live, grows (PF-03, PF-11) | Live, shrinks (PF-04) or Dead (PF-08) | refused | Suspended (PF-15) | refused |
/// | Dead | Live (PF-09) | Dead | Live (PF-09) | refused | refused |
/// | Suspended | Suspended | Suspended | refused | refused | Live (PF-15) |
///
/// Where the state stays as it is and neither grows nor shrinks, nothing is counted: what fails after the death of a destination
/// is no news, and a destination with a pause after each delivery has a window of 1.
public final class Destination {
    private static final DestinationState LIVE = new DestinationState.Live();

    private final FlowRules rules;
    private final Window window;
    private DestinationState state = LIVE;

    public Destination(FlowRules rules) {
        this.rules = rules;
        this.window = new Window(rules);
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
    /// @param window 0 when dead, -1 in a pause
    /// @param feedback what the last session counted: above 0 when it worked, below 0 when it failed, 0 when it did not count
    public record Figures(int window, int limit, double feedback, double success, double failure,
            double failedCohorts) {}

    public Figures figures() {
        int size = switch (state) {
            case DestinationState.Live _ -> window.size();
            case DestinationState.Dead _ -> 0;
            case DestinationState.Suspended _ -> -1;
        };
        return new Figures(size, rules.concurrencyLimit(), window.feedback(), window.success(), window.failure(),
                window.failedCohorts());
    }

    /// A session worked. True when that revived a dead destination.
    ///
    /// @param running deliveries to it, the one that is reported included
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

    /// A connection or handshake failed. True when that was the death of the destination.
    public boolean bad(Reply reason, long untilMillis) {
        if (isLive() && window.bad()) {
            state = new DestinationState.Dead(untilMillis, reason);
            return true;
        }
        return false;
    }

    /// The dead time is over: the window is what runs at present, or the initial one.
    public void revive(int running) {
        require(DestinationState.Dead.class, "revived");
        window.revive(running);
        state = LIVE;
    }

    /// A pause after a delivery begins. Its end is returned.
    public long suspend(long nowMillis) {
        require(DestinationState.Live.class, "suspended");
        long until = nowMillis + rules.rateDelayMillis();
        state = new DestinationState.Suspended(until);
        return until;
    }

    /// The pause is over.
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

    /// What a recipient gets that is not tried because of the state; empty when it may wait.
    public Optional<Reply> suspension() {
        return switch (state) {
            case DestinationState.Live _,DestinationState.Suspended _ -> Optional.empty();
            case DestinationState.Dead dead -> Optional.of(suspended(dead.reason()));
        };
    }

    /// The reply of a recipient that is not tried for this reason.
    public static Reply suspended(Reply reason) {
        return new Reply(reason.code(), Optional.of(reason.status().orElse(EnhancedStatus.of("4.4.1"))),
                List.of("delivery temporarily suspended: " + reason.text()));
    }
}
