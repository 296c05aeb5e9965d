package org.slipstream.smtpout;

import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.List;

/// What carriers tell the house. Called on carrier threads; returns at once.
///
/// Every parcel is answered once, by [#done] or [#returned]. A connection that was [#ready] ends once for the house: with a close that it
/// ordered, with a `done` that says so, with [#lost], or with the first [#returned]; the parcels it still had come back each
/// with a `returned` of its own.
public interface CarrierEvents {
    /// Greeting, EHLO and TLS are done.
    void ready(long connection);

    /// No host of the route could be talked to. `reason` is 4xx, or 5xx when waiting cannot help.
    void failed(long connection, Reply reason, String remote);

    /// @param outcomes one per recipient of the parcel
    /// @param usable false when the connection ended with this parcel
    /// @param siteTrouble true when the connection broke or the peer answered 421 before the transaction began. Only a house
    /// that does not reseat hears this; the other one gets the parcel back
    void done(long delivery, long connection, List<RecipientOutcome> outcomes, boolean usable, boolean siteTrouble);

    /// The peer closed an idle connection. Nobody has failed. Parcels that were just then on their way to it come back
    /// behind this.
    void lost(long connection, String reason);

    /// True when the house finds another seat for a parcel that was not answered. Such a house may post several parcels at once.
    /// For one that does not, carriers call a peer again that has hung up between two parcels, and report everything else
    /// as a deferral.
    default boolean reseats() {
        return false;
    }

    /// The connection is gone, and nobody has decided about any recipient of this parcel.
    ///
    /// @param reason 4xx; why, for whoever wants to know
    /// @param mayHaveArrived the whole message was handed to the network: the peer may have it, so it is deferred and not
    /// sent again at once
    default void returned(long delivery, long connection, Reply reason, String remote, boolean mayHaveArrived) {
        throw new UnsupportedOperationException("a house that reseats takes parcels back");
    }

    /// So many unanswered parcels keep the connection busy from now on; 1 until anything is said. More of them wait.
    default void depth(long connection, int parcels) {}

    /// The peer was seen to break when it was written to ahead of its replies: see `dialog.Pipeline`. Always before the
    /// connection ends. Worth remembering: a connection to this host is best opened plainly.
    default void pipelinesBadly(long connection, String what) {}
}
