package org.slipstream.core.queue;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;

/// The phase of a message in the queue: its current activity, or its reason to wait. `queue list`
/// shows it for each message.
///
/// Deliveries of a message with many recipients run in parallel. The phase is that of the delivery
/// that started first; without a running delivery, that of the first waiting recipient.
///
/// @param text the phase in words, with its figures
/// @param sinceMillis empty when the start is not recorded
/// @param untilMillis the latest end of the phase, or the time of the next attempt; empty when
/// there is no such time
/// @param figures the numbers in the text, by name, see [Figure]
/// @param subject the name of the thing that an operator would change: a ring, or the command that ends a
/// suspension; empty when there is none
public record QueuePhase(Code code, String text, OptionalLong sinceMillis, OptionalLong untilMillis,
        SequencedMap<Figure, Long> figures, String subject) {

    /// The reasons to wait, in the order in which a message passes their gates: first those of the
    /// server and of the message, then those of the route, then the limits from the widest to the
    /// narrowest (ZMailer: MaxTA, MaxChannel, MaxRing, MaxThr), then the order of service.
    public static final List<Code> GATES = List.of(Code.STOPPING, Code.RESTING, Code.INDEX, Code.HELD, Code.CLOCK,
            Code.LATER, Code.SUSPENDED, Code.QUEUE_ONLY, Code.DEAD, Code.RETRY, Code.DUE, Code.RECIPIENTS, Code.ROUTE,
            Code.SERVER, Code.CONNECTIONS, Code.RING, Code.WINDOW,
            Code.RATE, Code.PAUSE, Code.SPACING, Code.SHARE, Code.HOST_LIMIT, Code.TURN);

    /// A number that the text mentions.
    public enum Figure {
        /// Connections or deliveries in use.
        AT_WORK,
        /// The limit of [#AT_WORK].
        LIMIT,
        /// Earlier deliveries that wait for the same destination.
        BEFORE,
        /// Earlier deliveries on the same connection.
        AHEAD,
        /// Smoothed duration of a delivery to the destination, in milliseconds.
        MEAN_MILLIS,
        /// Estimated time until the first delivery of the message starts, in milliseconds.
        REST_MILLIS
    }

    /// The name of a phase, for programs: it is stable when the text changes.
    public enum Code {
        // ---- waiting
        HELD, RESTING, INDEX, LATER, CLOCK, SUSPENDED, QUEUE_ONLY, DEAD, RETRY, DUE,
        // ---- active, nothing under way
        RECIPIENTS, ROUTE, WINDOW, HOST_LIMIT, CONNECTIONS, SHARE, SPACING, PAUSE, RATE, RING, SERVER, TURN, STOPPING,
        // ---- on a connection
        CONNECTION, AHEAD, LOOKUP, CONNECTING, GREETING, EHLO, STARTTLS, TLS, AUTH, MAIL, RCPT, DATA, CONTENT, FINAL_REPLY, RESET, HANDED_OVER, MAILBOX,
        // ---- after the reply
        RECORDING, REPORTING;

        /// The name in kebab case, such as `final-reply`.
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /// The code with this [#word]; empty for a word of another version.
        public static Optional<Code> of(String word) {
            return Arrays.stream(values()).filter(each -> each.word().equals(word)).findFirst();
        }
    }

    public QueuePhase {
        Objects.requireNonNull(code);
        Objects.requireNonNull(text);
        figures = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(figures));
    }

    public static QueuePhase of(Code code, String text) {
        return new QueuePhase(code, text, OptionalLong.empty(), OptionalLong.empty(), Collections.emptyNavigableMap(),
                "");
    }

    public QueuePhase since(long millis) {
        return new QueuePhase(code, text, OptionalLong.of(millis), untilMillis, figures, subject);
    }

    public QueuePhase until(long millis) {
        return new QueuePhase(code, text, sinceMillis, OptionalLong.of(millis), figures, subject);
    }

    public QueuePhase with(Figure figure, long value) {
        SequencedMap<Figure, Long> more = new LinkedHashMap<>(figures);
        more.put(figure, value);
        return new QueuePhase(code, text, sinceMillis, untilMillis, more, subject);
    }

    /// A copy with `words` appended to the text.
    public QueuePhase adding(String words) {
        return new QueuePhase(code, text + words, sinceMillis, untilMillis, figures, subject);
    }

    /// A copy with the thing that an operator would change.
    public QueuePhase about(String name) {
        return new QueuePhase(code, text, sinceMillis, untilMillis, figures, name);
    }
}
