package org.slipstream.server.operate;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Figure;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.qmgr.wake.ErrorClass;
import org.slipstream.spool.Spool;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/// The next chance of one message, and what would give it an earlier one, in words. Each reason has
/// a text of its own.
///
/// @param row of the message
/// @param phase of the message
/// @param tlsLine the line of the settings that demands TLS for mail to a domain
record NextChance(Spool.Details row, QueuePhase phase, Function<String, Optional<String>> tlsLine, long nowMillis) {
    String text() {
        return text(phase, nowMillis);
    }

    /// In one line, for lists too.
    static String text(QueuePhase phase, long nowMillis) {
        Optional<Long> rest = Optional.ofNullable(phase.figures().get(Figure.REST_MILLIS));
        if (rest.isPresent()) {
            return "in about " + span(rest.get());
        }
        boolean hasTime = isGate(phase) && phase.code() != Code.QUEUE_ONLY || phase.code() == Code.REPORTING;
        if (hasTime && phase.untilMillis().isPresent()) {
            return moment(phase.untilMillis().getAsLong(), nowMillis);
        }
        return switch (phase.code()) {
            case HELD, RESTING, STOPPING -> "none before it is released";
            case SUSPENDED -> "none before it is resumed";
            case INDEX -> "when the index answers";
            case QUEUE_ONLY -> "with ETRN or a flush";
            default -> isGate(phase) ? "as soon as the gate opens" : "it is under way";
        };
    }

    private static String moment(long untilMillis, long nowMillis) {
        return untilMillis <= nowMillis
                ? "now"
                : QueueView.moment(untilMillis) + " (in " + span(untilMillis - nowMillis) + ")";
    }

    private static boolean isGate(QueuePhase phase) {
        return QueuePhase.GATES.contains(phase.code());
    }

    /// A command, a setting, or the event to wait for.
    String release() {
        return switch (phase.code()) {
            case STOPPING -> "mta run";
            case RESTING -> "queue.deliver = true in the configuration, and a restart";
            case INDEX -> "the database of the index; mta status shows its error";
            case HELD -> "mta queue release " + id();
            case LATER -> "nothing: its sender chose the time; mta queue delete " + id() + " removes it";
            case CLOCK -> "the right time of the machine, then mta queue flush " + id();
            case SUSPENDED -> phase.subject();
            case QUEUE_ONLY, DUE -> flush();
            case RETRY -> byClass(flush());
            case DEAD -> byClass(flush() + ", when the host works again");
            case RECIPIENTS -> "nothing: the spool is being read";
            case ROUTE -> "an answer of the DNS; mta verify " + firstOpen() + " asks again";
            case SERVER -> "the end of any delivery, or a greater queue.lanes-of-server";
            case CONNECTIONS -> "the end of other deliveries, or a greater queue.lanes";
            case RING -> "the end of a delivery in this ring, or a greater limit of the ring" + ring();
            case WINDOW -> "the end of a delivery there; the window grows with each success, up to the lanes of the"
                    + " destination";
            case RATE -> "nothing: the time passes by itself; the rate is a setting of the destination";
            case PAUSE, SPACING -> "nothing: the time passes by itself";
            case SHARE -> "the end of another delivery of this message";
            case HOST_LIMIT -> "the end of a delivery there; mta destdb list shows the hosts";
            case TURN -> "the deliveries before it; mta queue hold ID sets one of them aside";
            case REPORTING -> "the end of the report; mta status shows what prevents it";
            case CONNECTION, AHEAD, LOOKUP, CONNECTING, GREETING, EHLO, STARTTLS, TLS, AUTH, MAIL, RCPT, DATA, CONTENT,
                    FINAL_REPLY, RESET, HANDED_OVER, MAILBOX, RECORDING ->
                "nothing: it is under way";
        };
    }

    private String flush() {
        return "mta queue flush " + id();
    }

    /// An attempt before its time makes things worse for some classes of replies, and helps with none of
    /// them.
    private String byClass(String otherwise) {
        return lastReply().map(ErrorClass::of).map(kind -> switch (kind) {
            case GREYLISTING -> "nothing: wait until the next attempt; greylisting ends by waiting, and an earlier"
                    + " attempt does not count";
            case LOAD -> "nothing: wait until the next attempt. Fewer deliveries prevent it: [destination.\"" + domain()
                    + "\"] rate = \"100/1h\" or lanes = 2";
            case TLS -> "TLS with a valid certificate at the host, or another demand: " + tlsDemand();
            case DNS -> "an answer of the DNS, or another name in its route; then " + flush();
            case FULL_MAILBOX, REFUSED, OTHER -> otherwise;
        }).orElse(otherwise);
    }

    private String tlsDemand() {
        return row.envelope().options().requireTls()
                ? "its sender demands it (REQUIRETLS)"
                : tlsLine.apply(domain())
                        .orElse("the tls of its destination in mta.toml, such as [destination.\"" + domain() + "\"]");
    }

    private Optional<Reply> lastReply() {
        return row.recipients().stream().filter(each -> each.state() == RecipientStatus.OPEN)
                .flatMap(each -> each.last().stream()).findFirst().map(Outcome::reply);
    }

    private String ring() {
        return phase.subject().isEmpty() ? "" : ": [ring.\"" + phase.subject() + "\"] lanes";
    }

    private String domain() {
        return row.openRecipients().stream().findFirst().map(each -> each.address().domain()).orElse("DOMAIN");
    }

    private String id() {
        return row.summary().id().toString();
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
