package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.qmgr.place.Effects.Ended;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/// Collects the effects of an event.
final class EffectsBuilder {
    private final Refusals refused;
    private final Consumer<Long> forget;
    private final List<Ended> ended = new ArrayList<>();
    private final List<Effects.Refusal> refusals = new ArrayList<>();
    private final List<Long> opened = new ArrayList<>();

    /// The state of a host has expired.
    private boolean refusalEnded;

    /// Hosts whose state changed.
    private final Set<HostKey> touched = new LinkedHashSet<>(2);

    /// Destinations with an ended delivery, which triggers their own selection.
    private final Set<String> reported = new LinkedHashSet<>(2);

    /// @param refused deliveries that were refused a seat
    /// @param forget a delivery that has ended, by number
    EffectsBuilder(Refusals refused, Consumer<Long> forget) {
        this.refused = refused;
        this.forget = forget;
    }

    void ended(Assignment assignment, Ended how) {
        reported.add(assignment.destination());
        ended(how);
    }

    void ended(Ended how) {
        forget.accept(how.delivery());
        ended.add(how);
    }

    void refused(Effects.Refusal refusal) {
        refusals.add(refusal);
    }

    void opened(Assignment assignment) {
        opened.add(assignment.number());
    }

    void touched(HostKey host) {
        touched.add(host);
    }

    void refusalEnded() {
        refusalEnded = true;
    }

    boolean isNothing() {
        return ended.isEmpty() && touched.isEmpty();
    }

    Effects effects() {
        boolean seats = refusalEnded || refused.concerns(touched, reported);
        if (seats) {
            refused.clear();
        }
        return new Effects(ended, refusals, opened, seats);
    }
}
