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
/// @param subject the name of the thing that an operator would change: a ring, a provider, or the command that
/// ends a suspension; empty when there is none
public record QueuePhase(Code code, String text, OptionalLong sinceMillis, OptionalLong untilMillis,
        SequencedMap<Figure, Long> figures, String subject) {

    /// The gates, in the order in which a message passes them. The first closed one is its phase.
    public static final List<Code> GATES = Arrays.stream(Code.values()).filter(Code::isGate).toList();

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

    /// The mail that a closed gate stops, from the least to the most.
    public enum Extent {
        /// None: the code names an activity, not a gate.
        NONE,
        /// This message. Another one for the same destination may pass.
        MESSAGE,
        /// Messages with further deliveries to the same destination. A single delivery may pass.
        BULK, DESTINATION,
        /// Destinations whose hosts are not known to work.
        UNPROVEN, TRANSPORT, SERVER
    }

    /// The name of a phase, for programs: it is stable when the text changes.
    ///
    /// The gates stand first, in the order in which a message passes them: those of the server and of
    /// the message, then those of the route, then the times and limits of deliveries, the limits from
    /// the widest to the narrowest (ZMailer: MaxTA, MaxChannel, MaxRing, MaxThr), then the order of
    /// service. Shards ask for the lanes of a delivery in the same order.
    public enum Code {
        // @formatter:off
        // ---- waiting
        STOPPING(Extent.SERVER, "none before it is released", "mta run"),
        RESTING(Extent.SERVER, "none before it is released",
                "queue.deliver = true in the configuration, and a restart"),
        INDEX(Extent.SERVER, "when the index answers", "the database of the index; mta status shows its error"),
        HELD(Extent.MESSAGE, "none before it is released", "mta queue release ID"),
        CLOCK(Extent.MESSAGE, "the right time of the machine, then mta queue flush ID"),
        LATER(Extent.MESSAGE, "nothing: its sender chose the time; mta queue delete ID removes it"),
        SUSPENDED(Extent.DESTINATION, "none before it is resumed", "SUBJECT"),
        QUEUE_ONLY(Extent.DESTINATION, "with ETRN or a flush", "mta queue flush ID"),
        DEAD(Extent.DESTINATION, "mta queue flush ID, when the host works again"),
        RETRY(Extent.MESSAGE, "mta queue flush ID"),
        DUE(Extent.SERVER, "mta queue flush ID"),
        // ---- active, nothing under way
        RECIPIENTS(Extent.MESSAGE, "nothing: the spool is being read"),
        SUPPRESSED,
        ROUTE(Extent.DESTINATION, "an answer of the DNS; mta verify RECIPIENT asks again"),
        PROVIDER_RATE(Extent.DESTINATION,
                "nothing: the time passes by itself; the rate is that of the provider: [provider.SUBJECT] rate"),
        RING_RATE(Extent.DESTINATION,
                "nothing: the time passes by itself; the rate is that of the ring: [ring.\"SUBJECT\"] rate"),
        RATE(Extent.DESTINATION, "nothing: the time passes by itself; the rate is a setting of the destination"),
        SENDER_RATE(Extent.MESSAGE, "nothing: the time passes by itself; the rate is that of each sender domain at"
                + " the provider: [provider.SUBJECT] sender-rate"),
        PAUSE(Extent.DESTINATION, "nothing: the time passes by itself"),
        SERVER(Extent.SERVER, "the end of any delivery, or a greater queue.lanes-of-server"),
        CONNECTIONS(Extent.TRANSPORT, "the end of other deliveries, or a greater queue.lanes"),
        PROVIDER(Extent.DESTINATION,
                "the end of a delivery to this provider, or a greater limit: [provider.SUBJECT] lanes"),
        RING(Extent.DESTINATION,
                "the end of a delivery in this ring, or a greater limit of the ring: [ring.\"SUBJECT\"] lanes"),
        WINDOW(Extent.DESTINATION,
                "the end of a delivery there; the window grows with each success, up to the lanes of the destination"),
        SENDER(Extent.MESSAGE, "the end of a delivery of this sender domain to the provider, or a greater limit:"
                + " [provider.SUBJECT] sender-lanes"),
        SHARE(Extent.MESSAGE, "the end of another delivery of this message"),
        UNPROVEN(Extent.UNPROVEN,
                "the greeting of a host, or a greater placement.unproven-percent; mta destdb list shows the hosts"),
        HOST_LIMIT(Extent.DESTINATION, "the end of a delivery there; mta destdb list shows the hosts"),
        SPACING(Extent.BULK, "nothing: the time passes by itself"),
        TURN(Extent.MESSAGE, "the deliveries before it; mta queue hold ID sets one of them aside"),
        // ---- on a connection
        CONNECTION, AHEAD, LOOKUP, CONNECTING, GREETING, EHLO, STARTTLS, TLS, AUTH, MAIL, RCPT, DATA, CONTENT,
        FINAL_REPLY, RESET, HANDED_OVER, MAILBOX,
        // ---- after the reply
        RECORDING,
        REPORTING(Extent.NONE, "it is under way", "the end of the report; mta status shows what prevents it");
        // @formatter:on

        private final Extent extent;
        private final String chance;
        private final String release;

        Code() {
            this(Extent.NONE, "it is under way", "nothing: it is under way");
        }

        Code(Extent extent, String release) {
            this(extent, "as soon as the gate opens", release);
        }

        /// @param chance the next chance, in words, when it has no time
        /// @param release the command, setting or event that opens the gate, with the placeholders
        /// ID, RECIPIENT and SUBJECT
        Code(Extent extent, String chance, String release) {
            this.extent = extent;
            this.chance = chance;
            this.release = release;
        }

        public Extent extent() {
            return extent;
        }

        public boolean isGate() {
            return extent != Extent.NONE;
        }

        /// The next chance, in words, when it has no time.
        public String chance() {
            return chance;
        }

        /// The command, setting or event that opens the gate, with the placeholders ID, RECIPIENT and
        /// SUBJECT.
        public String release() {
            return release;
        }

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
