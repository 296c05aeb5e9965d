package org.slipstream.core;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SequencedMap;

/// The phase of a message in the queue: its work at one moment, or its reason to wait. A line of `queue list` shows it.
///
/// A message with many recipients does several things at once. Its phase is that of the delivery that was begun first; of a message of
/// which nothing is under way, that of the first recipient who waits.
///
/// @param text the phase in words, with its figures
/// @param sinceMillis empty where nobody has noted it
/// @param untilMillis when it is over at the latest, or the time of the next attempt; empty where there is no such time
/// @param figures behind the text, by name, see [Figure]
public record QueuePhase(Code code, String text, OptionalLong sinceMillis, OptionalLong untilMillis,
        SequencedMap<Figure, Long> figures) {

    /// A count behind the text.
    public enum Figure {
        /// Connections, or deliveries, that are at work.
        AT_WORK,
        /// So many may be at work.
        LIMIT,
        /// Deliveries that have waited longer for the same destination.
        BEFORE,
        /// Deliveries in front on the same connection.
        AHEAD
    }

    /// The name of a phase, for programs: it stays the same when the text changes.
    public enum Code {
        // ---- asleep
        HELD, RESTING, LATER, SUSPENDED, RETRY, DUE,
        // ---- active, nothing under way
        RECIPIENTS, ROUTE, WINDOW, HOST_LIMIT, CONNECTIONS, SHARE, SPACING, PAUSE, TURN, STOPPING,
        // ---- on a connection
        CONNECTION, AHEAD, LOOKUP, CONNECTING, GREETING, EHLO, STARTTLS, TLS, AUTH, MAIL, RCPT, DATA, CONTENT, FINAL_REPLY, RESET, HANDED_OVER, MAILBOX,
        // ---- afterwards
        RECORDING, REPORTING;

        /// `final-reply`.
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public QueuePhase {
        Objects.requireNonNull(code);
        Objects.requireNonNull(text);
        figures = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(figures));
    }

    public static QueuePhase of(Code code, String text) {
        return new QueuePhase(code, text, OptionalLong.empty(), OptionalLong.empty(), Collections.emptyNavigableMap());
    }

    public QueuePhase since(long millis) {
        return new QueuePhase(code, text, OptionalLong.of(millis), untilMillis, figures);
    }

    public QueuePhase until(long millis) {
        return new QueuePhase(code, text, sinceMillis, OptionalLong.of(millis), figures);
    }

    public QueuePhase with(Figure figure, long value) {
        SequencedMap<Figure, Long> more = new LinkedHashMap<>(figures);
        more.put(figure, value);
        return new QueuePhase(code, text, sinceMillis, untilMillis, more);
    }

    /// The same phase, with more to say.
    public QueuePhase adding(String words) {
        return new QueuePhase(code, text + words, sinceMillis, untilMillis, figures);
    }
}
