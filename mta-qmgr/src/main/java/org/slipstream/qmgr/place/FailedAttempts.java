package org.slipstream.qmgr.place;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.place.Effects.Ended;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/// The deliveries of a connection that has ended: each ends, moves to another host, or waits for another connection.
///
/// The decision is a pure function of a few facts ([#after]); [Connections] applies it.
///
/// **Failed attempts** (ruling 2 of docs/architecture.md). An attempt fails when the connection
/// cannot be established, the host sends no greeting, or the connection breaks before the first
/// reply to a delivery.
///
/// - *Another host is left*: the host is marked in [DestDb], the delivery moves, and no window gets
///   feedback.
/// - *None is left*: the destination's window gets one negative feedback, and the delivery is
///   deferred. The host is not marked: the cohorts decide whether the destination is dead, and
///   [Connections#dead] marks its hosts then.
/// - *Other connections to the host are up*: the host refuses more than it has. It is marked as
///   crowded. If no other host is left, that is one negative feedback as well, and the delivery
///   waits for a connection that is up. The plain rules defer it, as Postfix does
///   ([PlaceRules#refusedWait]).
///
/// **A host that defers every recipient of a delivery** is not asked again in this attempt: the
/// delivery moves to another host, once, as in Postfix (`smtp_mx_session_limit = 2`; RFC 5321 section
/// 5.1). Its answer is the outcome when no other host can be asked.
///
/// Other assignments of a failed connection are displaced: they were not attempted, and get another
/// seat before any new assignment does. One of each destination may open a connection in place of the
/// lost one ([Displaced]), so the window is never charged with more than before.
///
/// **A delivery that may have arrived** (RFC 1047) is deferred: with another seat at once it would
/// be sent three times within a tenth of a second to a host that accepts mail and closes without a
/// reply. A delivery that is first on a breaking connection for the [PlaceRules#returns]th time is
/// deferred too, or one such message would break every connection.
final class FailedAttempts {
    private static final String HERE = "local";

    private FailedAttempts() {}

    /// The reason for the end of a connection.
    record Failure(Reply reason, String remote, OptionalLong retryAfterMillis, Optional<QueuePhase.Code> phase) {
        static Failure of(String text) {
            return new Failure(Reply.of(450, "4.4.2", text), HERE, OptionalLong.empty(), Optional.empty());
        }

        List<RecipientOutcome> outcomes(Assignment assignment, Outcome outcome) {
            return RecipientOutcome.endedIn(assignment.all(outcome), phase);
        }

        private Failure orTransient(Optional<Reply> transientReply) {
            return reason.isPermanent() && transientReply.isPresent()
                    ? new Failure(transientReply.get(), HERE, retryAfterMillis, phase)
                    : this;
        }
    }

    /// The state of the destination when the connection had ended.
    ///
    /// @param tried the delivery was attempted on it
    /// @param otherHost another host is usable
    /// @param othersUp other connections to the host are up: it refuses more than it has
    /// @param refusedWait a delivery that such a host refused waits for one of them
    /// @param transientReply the temporary failure of another host: a permanent failure applies only
    /// when every host reports one
    record Situation(boolean tried, boolean otherHost, boolean othersUp, boolean refusedWait,
            Optional<Reply> transientReply) {}

    /// The next step of a delivery.
    sealed interface AfterFailure {
        /// @param isOfHost the failure says something about the host, because another one is left or has answered
        record Ends(Ended how, boolean isOfHost) implements AfterFailure {}

        /// Another host is tried.
        record Moves() implements AfterFailure {}

        /// It was not attempted, and gets another seat.
        record Displaced() implements AfterFailure {}

        /// It waits for a connection that is up; the window gets negative feedback.
        record Waits(Effects.Refusal refusal) implements AfterFailure {}
    }

    /// The first assignment of each destination: the connection was opened for it as much as for
    /// the first of all.
    static Optional<Predicate<Assignment>> firstOfEach() {
        Set<String> destinations = new LinkedHashSet<>(2);
        return Optional.of(assignment -> destinations.add(assignment.destination()));
    }

    static AfterFailure after(Assignment assignment, Failure failure, Situation at) {
        if (!at.tried()) {
            return new AfterFailure.Displaced();
        }
        if (at.otherHost()) {
            return new AfterFailure.Moves();
        }
        if (assignment.isDeferredByAHost()) {
            return new AfterFailure.Ends(deferredByAHost(assignment), true);
        }
        return at.othersUp() && at.refusedWait()
                ? new AfterFailure.Waits(new Effects.Refusal(assignment.number(), failure.reason()))
                : new AfterFailure.Ends(failed(assignment, failure.orTransient(at.transientReply())), false);
    }

    // ---- the ends of deliveries

    /// The end of a delivery that a host has deferred: no other host could be asked, so that answer
    /// is the outcome. The window gets the feedback of that session, which worked.
    static Ended deferredByAHost(Assignment assignment) {
        return new Ended.Worked(assignment.number(), assignment.answer(), true);
    }

    static Ended failed(Assignment assignment, Failure failure) {
        return new Ended.Failed(assignment.number(),
                failure.outcomes(assignment, Outcome.of(failure.reason(), failure.remote())),
                failure.reason(), failure.retryAfterMillis());
    }

    static Ended ownFailure(Assignment assignment, Reply reason, DeliveryResult.Scope scope) {
        return new Ended.OwnFailure(assignment.number(),
                RecipientOutcome.because(assignment.all(new Outcome.Deferred(transientOf(reason), HERE)),
                        switch (scope) {
                            case MESSAGE -> QueuePhase.Code.CONTENT;
                            case ROUTE -> QueuePhase.Code.SOURCE;
                            case TRANSPORT -> QueuePhase.Code.DEAD;
                        }),
                reason, scope);
    }

    /// The scope of a connection that this server could not open.
    static DeliveryResult.Scope scope(Failure failure) {
        return failure.phase().equals(Optional.of(QueuePhase.Code.SOURCE))
                ? DeliveryResult.Scope.ROUTE
                : DeliveryResult.Scope.TRANSPORT;
    }

    /// A suspended host is the remote of the outcome, so that a queue listing can show the end of
    /// the suspension.
    static Ended untried(Assignment assignment, Seat.Defer defer) {
        String remote = defer.suspension().map(suspension -> suspension.host().toString()).orElse(HERE);
        return new Ended.Untried(assignment.number(),
                RecipientOutcome.because(assignment.all(new Outcome.Deferred(suspended(defer.last()), remote)),
                        defer.suspension().isPresent() ? QueuePhase.Code.SUSPENDED : QueuePhase.Code.DEAD),
                defer.suspension().map(Seat.Suspension::resumesMillis).orElse(OptionalLong.empty()));
    }

    /// True when a host, not this server, has deferred every recipient.
    static boolean isDeferredByTheHost(List<RecipientOutcome> outcomes) {
        return !outcomes.isEmpty() && outcomes.stream().allMatch(
                each -> each.outcome() instanceof Outcome.Deferred(_, String remote) && !remote.equals(HERE));
    }

    /// The reply of a delivery that is deferred without an attempt, from the latest reply of its
    /// host.
    private static Reply suspended(Reply last) {
        Reply word = transientOf(last);
        return new Reply(word.code(), word.status(), List.of("delivery temporarily suspended: " + last.text()));
    }

    private static Reply transientOf(Reply reply) {
        return reply.isTransient() ? reply : new Reply(450, EnhancedStatus.parse("4.4.1"), reply.lines());
    }
}
