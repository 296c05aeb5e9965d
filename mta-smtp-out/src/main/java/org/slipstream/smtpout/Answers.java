package org.slipstream.smtpout;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Outcome;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    /// By portion.
    private final Map<Parcel, Split> splits = new IdentityHashMap<>();
    private long portions;

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
        splits.clear();
    }

    /// The parcels that are to be carried in place of this one, in their order: itself, or one for each group of its recipients.
    synchronized List<Parcel> divided(Parcel parcel, List<List<Recipient>> groups) {
        if (groups.size() == 1 || !owed.remove(parcel)) {
            return List.of(parcel);
        }
        Split split = new Split(parcel, groups.size());
        List<Parcel> parts = groups.stream()
                .map(group -> new Parcel(--portions, parcel.id(), parcel.envelope(), group, parcel.letter())).toList();
        owed.addAll(parts);
        parts.forEach(part -> splits.put(part, split));
        return parts;
    }

    /// For somebody who takes over these parcels: portions become whole again. Where some of them were answered, the rest is
    /// deferred instead.
    List<Parcel> rejoined(List<Parcel> parcels, Reply reason, String remote) {
        Set<Parcel> joined = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Parcel> result = new ArrayList<>();
        for (Parcel parcel : parcels) {
            Optional<Split> split = split(parcel);
            if (split.filter(Split::isAnswered).isPresent()) {
                returned(parcel, reason, remote, false, false);
            } else if (joined.add(split.map(s -> s.whole).orElse(parcel))) {
                result.add(split.map(s -> s.whole).orElse(parcel));
            }
        }
        synchronized (this) {
            for (Parcel parcel : parcels) {
                if (splits.containsKey(parcel) && owed.remove(parcel)) {
                    owed.add(splits.remove(parcel).whole);
                }
            }
        }
        return result;
    }

    private synchronized Optional<Split> split(Parcel parcel) {
        return Optional.ofNullable(splits.get(parcel));
    }

    void done(Parcel parcel, List<RecipientOutcome> outcomes, boolean usable) {
        if (pay(parcel)) {
            Split.Answer answer = new Split.Answer.Done(outcomes, usable);
            Optional<Split> split = split(parcel);
            split.map(s -> s.done(outcomes, usable)).orElse(Optional.of(answer))
                    .ifPresent(a -> tell(split.map(s -> s.whole).orElse(parcel), a));
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
            Split.Return answer = new Split.Return(reason, remote, mayHaveArrived, siteTrouble);
            Optional<Split> split = split(parcel);
            split.map(s -> s.returned(answer, same(parcel, reason, remote))).orElse(Optional.of(answer))
                    .ifPresent(a -> tell(split.map(s -> s.whole).orElse(parcel), a));
        }
    }

    private void tell(Parcel parcel, Split.Answer answer) {
        tell(() -> {
            switch (answer) {
                case Split.Answer.Done(List<RecipientOutcome> outcomes, boolean usable) ->
                    events.done(parcel.delivery(), connection, outcomes, usable, false);
                case Split.Return back when events.reseats() ->
                    events.returned(parcel.delivery(), connection, back.reason(), back.remote(), back.mayHaveArrived());
                case Split.Return back -> events.done(parcel.delivery(), connection,
                        same(parcel, back.reason(), back.remote()), false, back.siteTrouble());
            }
        });
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
    static List<RecipientOutcome> same(Parcel parcel, Reply reason, String remote) {
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
