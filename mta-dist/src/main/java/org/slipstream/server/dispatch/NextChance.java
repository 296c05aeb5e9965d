package org.slipstream.server.dispatch;

import org.slipstream.core.QueuePhase;
import org.slipstream.core.QueuePhase.Code;
import org.slipstream.core.QueuePhase.Figure;
import org.slipstream.spool.Spool;

import java.time.Duration;
import java.util.Optional;

/// The next chance of one message, and what would give it an earlier one, in words. Each reason has
/// a text of its own.
///
/// @param row of the message
/// @param phase of the message
record NextChance(Spool.Details row, QueuePhase phase, long nowMillis) {

    /// In one line, for lists too.
    String text() {
        Optional<Long> rest = Optional.ofNullable(phase.figures().get(Figure.REST_MILLIS));
        if (rest.isPresent()) {
            return "in about " + span(rest.get());
        }
        boolean hasTime = isGate() && phase.code() != Code.QUEUE_ONLY || phase.code() == Code.REPORTING;
        if (hasTime && phase.untilMillis().isPresent()) {
            return moment(phase.untilMillis().getAsLong());
        }
        return switch (phase.code()) {
            case HELD, RESTING, STOPPING -> "none before it is released";
            case SUSPENDED -> "none before it is resumed";
            case INDEX -> "when the index answers";
            case QUEUE_ONLY -> "with ETRN or a flush";
            default -> isGate() ? "as soon as the gate opens" : "it is under way";
        };
    }

    private String moment(long untilMillis) {
        return untilMillis <= nowMillis
                ? "now"
                : QueueView.moment(untilMillis) + " (in " + span(untilMillis - nowMillis) + ")";
    }

    private boolean isGate() {
        return QueuePhase.GATES.contains(phase.code());
    }

    /// A command, a setting, or the event to wait for.
    String release() {
        return switch (phase.code()) {
            case STOPPING -> "./mta run";
            case RESTING -> "queue.deliver = true in the configuration, and a restart";
            case INDEX -> "the database of the index; ./mta status shows its error";
            case HELD -> "./mta queue release " + id();
            case LATER -> "nothing: its sender chose the time; ./mta queue delete " + id() + " removes it";
            case CLOCK -> "the right time of the machine, then ./mta queue flush " + id();
            case SUSPENDED -> SuspensionControl.endOf(phase.text())
                    .orElseGet(() -> "./mta destdb resume " + subject().orElse("HOST"));
            case QUEUE_ONLY, RETRY, DUE -> "./mta queue flush " + id();
            case DEAD -> "./mta queue flush " + id() + ", when the host works again";
            case RECIPIENTS -> "nothing: the spool is being read";
            case ROUTE -> "an answer of the DNS; ./mta verify " + firstOpen() + " asks again";
            case SERVER -> "the end of any delivery, or a greater queue.lanes-of-server";
            case CONNECTIONS -> "the end of other deliveries, or a greater queue.lanes";
            case RING -> "the end of a delivery in this ring, or a greater limit of the ring";
            case WINDOW -> "the end of a delivery there; the window grows with each success";
            case RATE -> "nothing: the time passes by itself; the rate is a setting of the destination";
            case PAUSE, SPACING -> "nothing: the time passes by itself";
            case SHARE -> "the end of another delivery of this message";
            case HOST_LIMIT -> "the end of a delivery there; ./mta destdb list shows the hosts";
            case TURN -> "the deliveries before it; ./mta queue hold ID sets one of them aside";
            case REPORTING -> "the end of the report; ./mta status shows what prevents it";
            default -> "nothing: it is under way";
        };
    }

    private String id() {
        return row.summary().id().toString();
    }

    // A text about a suspension begins with the name of the host.
    private Optional<String> subject() {
        int end = phase.text().indexOf(" is suspended");
        return end < 0 ? Optional.empty() : Optional.of(phase.text().substring(0, end));
    }

    private String firstOpen() {
        return row.openRecipients().stream().findFirst().map(each -> each.address().toString()).orElse("ADDRESS");
    }

    /// A duration with its two largest units: `3h12m`.
    static String span(long millis) {
        Duration time = Duration.ofMillis(Math.max(0, millis));
        if (time.toSeconds() < 1) {
            return time.toMillis() + "ms";
        }
        if (time.toMinutes() < 1) {
            return time.toSeconds() + "s";
        }
        if (time.toHours() < 1) {
            return time.toMinutes() + "m" + rest(time.toSecondsPart(), "s");
        }
        return time.toDays() < 1
                ? time.toHours() + "h" + rest(time.toMinutesPart(), "m")
                : time.toDays() + "d" + rest(time.toHoursPart(), "h");
    }

    private static String rest(int amount, String unit) {
        return amount == 0 ? "" : amount + unit;
    }
}
