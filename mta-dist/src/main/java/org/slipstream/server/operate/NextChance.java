package org.slipstream.server.operate;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Figure;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.qmgr.wake.ErrorClass;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/// The next chance of one message, and what would give it an earlier one, in words. Each reason has
/// a text of its own.
///
/// @param row of the message
/// @param phase of the message
/// @param tlsLine the line of the settings that demands TLS for mail to a domain
record NextChance(MessageDetails row, QueuePhase phase, Function<String, Optional<String>> tlsLine, long nowMillis) {
    String text() {
        return text(phase, nowMillis);
    }

    /// In one line, for lists too.
    static String text(QueuePhase phase, long nowMillis) {
        Optional<Long> rest = Optional.ofNullable(phase.figures().get(Figure.REST_MILLIS));
        if (rest.isPresent()) {
            return "in about " + span(rest.get());
        }
        boolean hasTime = phase.code().isGate() && phase.code() != Code.QUEUE_ONLY || phase.code() == Code.REPORTING;
        return hasTime && phase.untilMillis().isPresent()
                ? moment(phase.untilMillis().getAsLong(), nowMillis)
                : phase.code().chance();
    }

    private static String moment(long untilMillis, long nowMillis) {
        return untilMillis <= nowMillis
                ? "now"
                : QueueView.moment(untilMillis) + " (in " + span(untilMillis - nowMillis) + ")";
    }

    /// A command, a setting, or the event to wait for.
    String release() {
        String release = phase.code().release().replace("ID", id()).replace("RECIPIENT", firstOpen())
                .replace("SUBJECT", phase.subject());
        return phase.code() == Code.RETRY || phase.code() == Code.DEAD ? byClass(release) : release;
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
            case TLS -> isOfOwner()
                    ? "a mended host or policy of " + domain()
                            + ", or a route to a fixed host in [routes], where policies"
                            + " of owners do not count"
                    : "TLS with a valid certificate at the host, or another demand: " + tlsDemand();
            case DNS -> "an answer of the DNS, or another name in its route; then " + flush();
            case FULL_MAILBOX, REFUSED, OTHER -> otherwise;
        }).orElse(otherwise);
    }

    /// True when the demand is that of the recipients' domain, and not of the settings. Its reply says so.
    private boolean isOfOwner() {
        return lastReply().map(Reply::toString)
                .filter(text -> text.contains("MTA-STS") || text.contains("DANE") || text.contains("DNSSEC"))
                .isPresent();
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
