package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Outcome;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/// What one carrier owes the house, and that it pays exactly once.
///
/// A debt is an open that was not answered yet, or a parcel that was posted. Paying is safe from any thread: at the end of a
/// server's life somebody else may pay for a carrier that hangs in a lookup.
final class Answers {
    private static final Logger log = LoggerFactory.getLogger(Answers.class);

    private final long connection;
    private final CarrierEvents events;
    private boolean openAnswered;
    private final Set<Parcel> owed = Collections.newSetFromMap(new IdentityHashMap<>());

    Answers(long connection, CarrierEvents events, boolean openAnswered) {
        this.connection = connection;
        this.events = events;
        this.openAnswered = openAnswered;
    }

    boolean reseats() {
        return events.reseats();
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
        owed.add(parcel);
    }

    /// Somebody else has taken over this debt.
    synchronized void forget(Parcel parcel) {
        owed.remove(parcel);
    }

    /// Somebody else has taken over all debts.
    synchronized void forgetAll() {
        owed.clear();
    }

    void done(Parcel parcel, List<RecipientOutcome> outcomes, boolean usable) {
        if (pay(parcel)) {
            tell(() -> events.done(parcel.delivery(), connection, outcomes, usable, false));
        }
    }

    /// Deferred by us, and nobody is to blame.
    void deferred(Parcel parcel, Reply reason, String remote, boolean usable) {
        done(parcel, same(parcel, reason, remote), usable);
    }

    /// Not answered by the peer.
    ///
    /// @param siteTrouble for a house that does not reseat: the peer is to blame
    void returned(Parcel parcel, Reply reason, String remote, boolean mayHaveArrived, boolean siteTrouble) {
        if (pay(parcel)) {
            tell(() -> {
                if (events.reseats()) {
                    events.returned(parcel.delivery(), connection, reason, remote, mayHaveArrived);
                } else {
                    events.done(parcel.delivery(), connection, same(parcel, reason, remote), false, siteTrouble);
                }
            });
        }
    }

    void lost(String reason) {
        tell(() -> events.lost(connection, reason));
    }

    void depth(int parcels) {
        tell(() -> events.depth(connection, parcels));
    }

    void pipelinesBadly(String what) {
        tell(() -> events.pipelinesBadly(connection, what));
    }

    /// Pays all debts with a reason.
    void giveUp(Reply reason) {
        failed(reason, Troubles.LOCAL);
        List<Parcel> left;
        synchronized (this) {
            left = List.copyOf(owed);
        }
        left.forEach(parcel -> deferred(parcel, reason, Troubles.LOCAL, false));
    }

    /// The same outcome for all recipients.
    private static List<RecipientOutcome> same(Parcel parcel, Reply reason, String remote) {
        return parcel.recipients().stream().map(r -> new RecipientOutcome(r.number(), Outcome.of(reason, remote)))
                .toList();
    }

    private synchronized boolean payOpen() {
        boolean owes = !openAnswered;
        openAnswered = true;
        return owes;
    }

    private synchronized boolean pay(Parcel parcel) {
        return owed.remove(parcel);
    }

    private void tell(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            log.error("msg=\"the house did not take an answer\" conn={}", connection, e);
        }
    }
}
