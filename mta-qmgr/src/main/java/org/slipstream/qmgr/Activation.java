package org.slipstream.qmgr;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.qmgr.sched.Message;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// One stay of a message in the active set: what has become of its recipients since it was taken in, and what is still
/// under way.
///
/// Plain data of the queue manager's thread; [Settlement] reads it to say what comes next.
final class Activation {
    final QueueId id;
    final boolean nullSender;
    /// When its age begins.
    final long createdMillis;
    final DeliveryOptions options;
    final boolean delayNotified;
    /// Deferred at least once, and found by a scan.
    final boolean tried;

    /// Held, and found only because it is too old: its recipients fail without a try.
    final boolean heldTooLong;

    /// Earlier attempts have been counted.
    final boolean attemptedBefore;

    /// What the spool said was open; fewer must not be taken for all.
    final int expectedOpen;

    /// Its half in the order of service.
    final Message work;

    int recipientsRead;

    /// When recipients were last put into the order of service.
    long placedMillis;

    /// A recipient whose way is known.
    record Routed(Recipient recipient, Route route) {}

    /// Read and routed, and not yet in the order of service.
    private List<Routed> routed = List.of();

    /// Domains whose route has been asked for, and since when the first of them.
    private List<String> asked = List.of();
    private long askedMillis;

    /// `RecordOutcome` orders without an answer.
    int recording;

    /// Failures that the sender has not been told of, earlier ones included.
    int failed;

    /// A recipient that was deferred, and why.
    record Late(Recipient recipient, Outcome outcome) {}

    /// Deferred in this activation, with the latest outcome.
    private List<Late> deferred = List.of();

    /// An attempt is counted in this activation, or about to be.
    boolean attempted;

    /// When the first of the hosts that are left alone on an operator's word may be tried again.
    long resumesMillis = Long.MAX_VALUE;

    /// There are open recipients that got no outcome this time: withdrawn, or never read.
    boolean leftOpen;

    /// A `Notify` is without an answer.
    boolean reporting;
    boolean failureReportTried;
    boolean delayReportTried;
    boolean reported;

    /// The spool has set it aside: it is forgotten as soon as nothing of it is under way.
    boolean damaged;
    OperatorRequest request = OperatorRequest.NONE;

    Activation(MessageSummary summary, Message work) {
        this.id = summary.id();
        this.nullSender = summary.sender().isEmpty();
        this.createdMillis = summary.releaseMillis();
        this.options = summary.options();
        this.delayNotified = summary.delayNotified();
        this.tried = summary.attempts() > 0;
        this.heldTooLong = summary.held();
        this.attemptedBefore = summary.attempts() > 0;
        this.expectedOpen = summary.open();
        this.failed = summary.failed();
        this.work = work;
    }

    // Most messages have neither for most of their time, so the lists are made when they are needed.

    void isRouted(Recipient recipient, Route route) {
        routed = routed.isEmpty() ? new ArrayList<>(1) : routed;
        routed.add(new Routed(recipient, route));
    }

    boolean hasRouted() {
        return !routed.isEmpty();
    }

    List<Routed> takeRouted() {
        List<Routed> taken = routed;
        routed = List.of();
        return taken;
    }

    void asks(String domain, long nowMillis) {
        if (asked.isEmpty()) {
            asked = new ArrayList<>(1);
            askedMillis = nowMillis;
        }
        asked.add(domain);
    }

    /// True when it waits for no other route.
    boolean isAnswered(String domain) {
        asked.remove(domain);
        asked = asked.isEmpty() ? List.of() : asked;
        return asked.isEmpty();
    }

    List<String> asked() {
        return Collections.unmodifiableList(asked);
    }

    long askedMillis() {
        return askedMillis;
    }

    void isLate(Recipient recipient, Outcome outcome) {
        deferred = deferred.isEmpty() ? new ArrayList<>(1) : deferred;
        deferred.add(new Late(recipient, outcome));
    }

    List<Late> late() {
        return Collections.unmodifiableList(deferred);
    }

    List<Late> takeLate() {
        List<Late> taken = deferred;
        deferred = List.of();
        return taken;
    }

    /// At least one attempt counts, now or earlier.
    boolean hasBeenTried() {
        return attempted || attemptedBefore;
    }

    /// Nothing new is begun for it: what runs ends, then it goes.
    boolean isLeaving() {
        return damaged || request != OperatorRequest.NONE;
    }

    /// Nothing of it is under way.
    boolean isAtRest() {
        return work.isExhausted() && recording == 0 && !reporting;
    }

    boolean hasOpen() {
        return leftOpen || !deferred.isEmpty() || recipientsRead < expectedOpen;
    }
}
