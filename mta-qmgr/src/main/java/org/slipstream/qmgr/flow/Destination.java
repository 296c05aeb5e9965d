package org.slipstream.qmgr.flow;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;

import java.util.List;
import java.util.Optional;

/// What deliveries have taught about one destination: is it alive?
///
/// A mail server that is down costs a connect timeout for each entry that tries it. So the first trouble that leaves no
/// connection to the destination standing declares it dead: all that waits for it is deferred at once, with the reason and
/// without a try (PF-10), and so is what arrives for it (PF-22). After the minimal backoff, after one success of a
/// delivery that was still running, or when an operator asks, it lives again (PF-09).
///
/// Trouble means connection and handshake; a server that answers, whatever it answers, is alive (PF-06). Trouble while
/// other connections stand is a limit of the server and kills nothing here; to shrink the number of lanes then is the
/// business of the concurrency window, which takes this class's place in that question.
public final class Destination {
    private static final DestinationState LIVE = new DestinationState.Live();

    private DestinationState state = LIVE;

    public DestinationState state() {
        return state;
    }

    public boolean isLive() {
        return state == LIVE;
    }

    /// A session worked. True when that revived a dead destination.
    public boolean good() {
        return revive();
    }

    /// A connection or handshake failed. True when that killed the destination.
    ///
    /// @param cutOff no other connection to it is up
    public boolean bad(Reply reason, boolean cutOff, long untilMillis) {
        // A permanent reason is the answer itself: each entry is to get it, none is to wait for better times.
        if (!isLive() || !cutOff || reason.isPermanent()) {
            return false;
        }
        state = new DestinationState.Dead(untilMillis, reason);
        return true;
    }

    /// True when it was dead.
    public boolean revive() {
        boolean wasDead = !isLive();
        state = LIVE;
        return wasDead;
    }

    /// What a recipient gets that is not tried because of the state; empty when the destination is live.
    public Optional<Reply> suspension() {
        return switch (state) {
            case DestinationState.Live _ -> Optional.empty();
            case DestinationState.Dead dead -> Optional.of(suspended(dead.reason()));
        };
    }

    private static Reply suspended(Reply reason) {
        return new Reply(reason.code(), Optional.of(reason.status().orElse(EnhancedStatus.of("4.4.1"))),
                List.of("delivery temporarily suspended: " + reason.text()));
    }
}
