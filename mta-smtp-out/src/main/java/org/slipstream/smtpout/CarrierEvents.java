package org.slipstream.smtpout;

import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.List;

/// What carriers tell the house. Called on carrier threads; returns at once.
public interface CarrierEvents {
    /// Greeting, EHLO and TLS are done.
    void ready(long connection);

    /// No host of the route could be talked to. `reason` is 4xx, or 5xx when waiting cannot help.
    void failed(long connection, Reply reason, String remote);

    /// @param outcomes one per recipient of the parcel
    /// @param usable false when the connection ended with this parcel
    /// @param siteTrouble true when the connection broke or the peer answered 421 before the transaction began
    void done(long delivery, long connection, List<RecipientOutcome> outcomes, boolean usable, boolean siteTrouble);

    /// The peer closed an idle connection.
    void lost(long connection, String reason);
}
