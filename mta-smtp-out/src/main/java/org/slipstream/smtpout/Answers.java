package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Outcome;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.List;
import java.util.Optional;

/// What one carrier owes the house, and that it pays exactly once.
///
/// A debt is an open that was not answered yet, or the parcel in hand. Paying is safe from any thread: at the end of a
/// server's life somebody else may pay for a carrier that hangs in a lookup.
final class Answers {
    private static final Logger log = LoggerFactory.getLogger(Answers.class);

    private final long connection;
    private final CarrierEvents events;
    private boolean openAnswered;
    private Optional<Parcel> inHand = Optional.empty();

    Answers(long connection, CarrierEvents events, boolean openAnswered) {
        this.connection = connection;
        this.events = events;
        this.openAnswered = openAnswered;
    }

    void ready() {
        if (payOpen()) {
            tell(() -> events.ready(connection));
        }
    }

    void failed(Reply reason, String remote) {
        if (payOpen()) {
            tell(() -> events.failed(connection, reason, remote));
        }
    }

    synchronized void owe(Parcel parcel) {
        inHand = Optional.of(parcel);
    }

    void done(Parcel parcel, List<RecipientOutcome> outcomes, boolean usable, boolean siteTrouble) {
        if (pay(parcel)) {
            tell(() -> events.done(parcel.delivery(), connection, outcomes, usable, siteTrouble));
        }
    }

    /// For a parcel that was never in hand.
    void undelivered(Parcel parcel, Reply reason, String remote) {
        tell(() -> events.done(parcel.delivery(), connection, same(parcel, reason, remote), false, false));
    }

    void lost(String reason) {
        tell(() -> events.lost(connection, reason));
    }

    /// Pays all debts with a reason.
    void giveUp(Reply reason) {
        failed(reason, Troubles.LOCAL);
        Optional<Parcel> parcel;
        synchronized (this) {
            parcel = inHand;
        }
        parcel.ifPresent(p -> done(p, same(p, reason, Troubles.LOCAL), false, false));
    }

    /// The same outcome for all recipients.
    static List<RecipientOutcome> same(Parcel parcel, Reply reason, String remote) {
        return parcel.recipients().stream().map(r -> new RecipientOutcome(r.number(), Outcome.of(reason, remote)))
                .toList();
    }

    private synchronized boolean payOpen() {
        boolean owed = !openAnswered;
        openAnswered = true;
        return owed;
    }

    private synchronized boolean pay(Parcel parcel) {
        if (inHand.isEmpty() || inHand.get() != parcel) {
            return false;
        }
        inHand = Optional.empty();
        return true;
    }

    private void tell(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            log.error("msg=\"the house did not take an answer\" conn={}", connection, e);
        }
    }
}
