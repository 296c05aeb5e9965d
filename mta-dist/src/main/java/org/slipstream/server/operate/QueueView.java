package org.slipstream.server.operate;

import org.slipstream.admin.operations.Operations.Figures;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.PhaseView;
import org.slipstream.admin.operations.Operations.RecipientView;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Figure;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.trace.QmgrSnapshot;
import org.slipstream.qmgr.trace.QmgrSnapshot.ActiveMessage;
import org.slipstream.server.dispatch.InstructionText;
import org.slipstream.server.hosts.SuspendedHost;
import org.slipstream.smtpout.WirePhase;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongFunction;

/// The operator's view of the messages of one page. It joins facts of one moment: the queue index's
/// rows, the queue manager's snapshot, the phases of connections, and the suspended hosts.
///
/// @param suspended hosts that an operator has suspended
/// @param suspensions of other mail, and the freeze
/// @param delivers false when the server only accepts mail
/// @param wire phase of a connection
record QueueView(Map<QueueId, ActiveMessage> active, List<SuspendedHost> suspended,
        List<Suspension> suspensions, boolean delivers,
        LongFunction<Optional<WirePhase>> wire, long nowMillis) {

    /// The clocks of a server and of its database may differ.
    private static final long CLOCK_TOLERANCE_MILLIS = 60_000;

    private static final Comparator<Suspension> BY_END = Comparator.comparingLong(Suspension::untilMillis);
    private static final Comparator<QueuePhase> SOONEST = Comparator
            .comparingLong(each -> each.untilMillis().orElse(Long.MAX_VALUE));

    MessageView view(MessageDetails row) {
        MessageSummary summary = row.summary();
        Optional<ActiveMessage> here = here(summary);
        QueuePhase phase = phase(row);
        String state = here.isPresent() ? "active" : summary.held() ? "held" : "deferred";
        return new MessageView(summary.id().toString(), summary.sender().map(Object::toString).orElse(""),
                summary.sizeBytes(), state, moment(summary.createdMillis()),
                here.isPresent() ? "" : moment(phase.untilMillis()), summary.attempts(), phase.text(),
                NextChance.text(phase, nowMillis), view(phase),
                Optional.empty(),
                row.recipients().stream().map(QueueView::view).toList(), submitter(row.envelope().origin()),
                InstructionText.lines(summary.instructions()), lastAttempt(row), "", Optional.empty());
    }

    private static String lastAttempt(MessageDetails row) {
        return moment(row.recipients().stream().filter(each -> each.last().isPresent())
                .mapToLong(RecipientState::atMillis).max());
    }

    static SubmitterView submitter(Origin origin) {
        return new SubmitterView(origin.service(), origin.client(), origin.helo(), origin.user(), origin.messageId(),
                origin.about().map(QueueId::toString).orElse(""));
    }

    /// The phase of a message in the queue.
    QueuePhase phase(MessageDetails row) {
        return here(row.summary()).map(this::working).orElseGet(() -> asleep(row));
    }

    private Optional<ActiveMessage> here(MessageSummary summary) {
        return Optional.ofNullable(active.get(summary.id()));
    }

    // ---- active

    private QueuePhase working(ActiveMessage message) {
        QueuePhase phase = message.seat()
                .flatMap(seat -> wire.apply(seat.connection()).map(onWire -> together(message.phase(), seat, onWire)))
                .orElse(message.phase());
        return phase.adding(message.besides());
    }

    // A part of a large envelope has a number below zero. A phase of another delivery is older than
    // this snapshot.
    private QueuePhase together(QueuePhase phase, QmgrSnapshot.SnapshotSeat seat, WirePhase onWire) {
        if (onWire.delivery() == seat.delivery() || seat.ahead() == 0 && onWire.delivery() <= 0) {
            return onWire(onWire);
        }
        return seat.ahead() > 0 ? phase.adding("; it " + onWire.text()) : phase;
    }

    private QueuePhase onWire(WirePhase onWire) {
        long since = nowMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - onWire.sinceNanos());
        QueuePhase phase = QueuePhase.of(onWire.code(), onWire.text()).since(since);
        return onWire.timeoutMillis() > 0 ? phase.until(since + onWire.timeoutMillis()) : phase;
    }

    // ---- asleep

    private QueuePhase asleep(MessageDetails row) {
        MessageSummary summary = row.summary();
        if (summary.held()) {
            return QueuePhase.of(Code.HELD, summary.instructions().hold().map(InstructionText::hold)
                    .orElse("it is on hold, and its author is not recorded"));
        }
        if (!delivers) {
            return QueuePhase.of(Code.RESTING, "this server does not deliver: queue.deliver is false");
        }
        if (isOfTheFuture(row)) {
            return QueuePhase
                    .of(Code.CLOCK, "its time of creation or of its last attempt lies in the future, so the clock"
                            + " was ahead then or is behind now" + tried(row).map(text -> "; " + text).orElse(""))
                    .until(row.nextAttemptMillis());
        }
        if (summary.isForLater(nowMillis)) {
            return QueuePhase.of(Code.LATER, "its sender asked for a later delivery").until(summary.releaseMillis());
        }
        return suspension(row).orElseGet(() -> deferred(row));
    }

    /// Present when every open recipient waits for the end of a suspension.
    private Optional<QueuePhase> suspension(MessageDetails row) {
        Optional<Suspension> freeze = suspensions.stream().filter(each -> each.scope() == SuspensionScope.EVERYTHING)
                .findFirst();
        if (freeze.isPresent()) {
            return freeze.map(QueueView::suspended);
        }
        if (suspended.isEmpty() && suspensions.isEmpty()) {
            return Optional.empty();
        }
        List<Optional<QueuePhase>> phases = open(row).stream().map(each -> suspension(row, each)).toList();
        return phases.stream().anyMatch(Optional::isEmpty)
                ? Optional.empty()
                : phases.stream().flatMap(Optional::stream).min(SOONEST);
    }

    private Optional<QueuePhase> suspension(MessageDetails row, RecipientState recipient) {
        return suspensions.stream().filter(each -> concerns(each, row, recipient)).max(BY_END)
                .map(QueueView::suspended).or(() -> suspendedHost(recipient).map(QueueView::suspended));
    }

    private static boolean concerns(Suspension suspension, MessageDetails row, RecipientState recipient) {
        return suspension.concerns(row.summary().sender(), recipient.recipient().address())
                || recipient.last().filter(last -> last.reply().equals(suspension.reply())).isPresent();
    }

    private static QueuePhase suspended(Suspension suspension) {
        return suspended(suspension.text(), suspension.sinceMillis(), suspension.untilMillis())
                .about(suspension.endCommand());
    }

    private static QueuePhase suspended(SuspendedHost host) {
        return suspended(host.text(), host.state().sinceMillis(), host.state().untilMillis())
                .about("mta destdb resume " + host.title());
    }

    private static QueuePhase suspended(String text, long sinceMillis, long untilMillis) {
        QueuePhase phase = QueuePhase.of(Code.SUSPENDED, text).since(sinceMillis);
        return untilMillis == Long.MAX_VALUE ? phase : phase.until(untilMillis);
    }

    private Optional<SuspendedHost> suspendedHost(RecipientState recipient) {
        return recipient.last()
                .flatMap(last -> suspended.stream().filter(host -> host.isNamedBy(last.remote())).findFirst());
    }

    private QueuePhase deferred(MessageDetails row) {
        if (open(row).isEmpty()) {
            return QueuePhase.of(Code.REPORTING, "the report to its sender could not be made and is tried again"
                    + row.recipients().stream().filter(each -> each.state() == RecipientStatus.FAILED)
                            .flatMap(each -> each.last().stream()).findFirst()
                            .map(last -> "; " + last.reply()).orElse(""))
                    .until(row.nextAttemptMillis());
        }
        String text = tried(row).orElse("waits for its next attempt");
        Optional<RecipientState> tried = open(row).stream().filter(each -> each.last().isPresent()).findFirst();
        if (row.nextAttemptMillis() <= nowMillis) {
            return QueuePhase.of(Code.DUE, "due, waits for space in the active queue; " + text)
                    .since(row.nextAttemptMillis())
                    .until(row.nextAttemptMillis());
        }
        // The record of a suspension that has ended is the reason no more.
        Optional<QueuePhase> suspension = tried.flatMap(each -> suspension(row, each));
        Code code = tried.flatMap(RecipientState::reason).filter(Code::isGate)
                .filter(each -> each != Code.SUSPENDED || suspension.isPresent()).orElse(Code.RETRY);
        QueuePhase phase = QueuePhase.of(code, text).until(row.nextAttemptMillis())
                .about(code == Code.SUSPENDED ? suspension.orElseThrow().subject() : "");
        return tried.map(each -> phase.since(each.atMillis())).orElse(phase);
    }

    private static Optional<String> tried(MessageDetails row) {
        return open(row).stream().flatMap(each -> each.last().stream()).findFirst().map(QueueView::replyText);
    }

    private boolean isOfTheFuture(MessageDetails row) {
        long latest = nowMillis + CLOCK_TOLERANCE_MILLIS;
        return row.summary().createdMillis() > latest
                || row.recipients().stream().anyMatch(each -> each.atMillis() > latest);
    }

    private static List<RecipientState> open(MessageDetails row) {
        return row.recipients().stream().filter(each -> each.state() == RecipientStatus.OPEN).toList();
    }

    private static String replyText(Outcome last) {
        return last.reply() + " (" + last.remote() + ")";
    }

    // ---- as text

    private static PhaseView view(QueuePhase phase) {
        Function<Figure, Optional<Long>> figure = name -> Optional.ofNullable(phase.figures().get(name));
        return new PhaseView(phase.code().word(), moment(phase.sinceMillis()), moment(phase.untilMillis()),
                new Figures(figure.apply(Figure.AT_WORK), figure.apply(Figure.LIMIT), figure.apply(Figure.BEFORE),
                        figure.apply(Figure.AHEAD)));
    }

    static String moment(OptionalLong millis) {
        return millis.isPresent() ? moment(millis.getAsLong()) : "";
    }

    static String moment(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }

    static RecipientView view(RecipientState state) {
        String word = switch (state.state()) {
            case OPEN -> "open";
            case DELIVERED -> "delivered";
            case FAILED, FAILED_AND_REPORTED -> "failed";
        };
        return new RecipientView(state.recipient().address().toString(), word,
                state.last().map(last -> last.reply().toString()).orElse(""),
                state.last().map(Outcome::remote).orElse(""));
    }
}
