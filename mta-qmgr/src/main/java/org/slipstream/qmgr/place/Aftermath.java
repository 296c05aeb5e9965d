package org.slipstream.qmgr.place;

import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.List;
import java.util.OptionalLong;

/// What news of a connection meant for loads.
///
/// @param fates loads that are done with; each comes back exactly once
/// @param troubles what windows should know, though no load came back: the loads were moved
/// @param seats a load that was refused a seat may find one now
public record Aftermath(List<Fate> fates, List<Trouble> troubles, boolean seats) {
    public static final Aftermath NOTHING = new Aftermath(List.of(), List.of(), false);

    public Aftermath {
        fates = List.copyOf(fates);
        troubles = List.copyOf(troubles);
    }

    /// One connection of a working host failed.
    ///
    /// @param delivery one of those that waited on it, of this destination
    public record Trouble(long delivery, String destination, Reply reason) {}

    /// What became of a load.
    public sealed interface Fate {
        long delivery();

        List<RecipientOutcome> outcomes();

        /// The session worked, whatever the replies were.
        ///
        /// @param released the connection served the destination until then and does so no longer
        record Worked(long delivery, List<RecipientOutcome> outcomes, boolean released) implements Fate {}

        /// The last host failed while it was tried: negative feedback for the destination's window.
        ///
        /// @param cutOff no connection to any host of the destination is up
        record Troubled(long delivery, List<RecipientOutcome> outcomes, Reply reason, boolean cutOff)
                implements
                    Fate {}

        /// Deferred without a try, or for a reason of our own. Teaches nothing about the destination.
        ///
        /// @param resumesMillis when the first of its hosts may be tried again, where an operator has said that
        record Untried(long delivery, List<RecipientOutcome> outcomes, OptionalLong resumesMillis) implements Fate {
            public Untried(long delivery, List<RecipientOutcome> outcomes) {
                this(delivery, outcomes, OptionalLong.empty());
            }
        }
    }
}
