package org.slipstream.server.report;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.qmgr.event.QmgrOrder.NoticeKind;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/// Tells the sender of a message what became of it, by a message of its own with the null sender.
///
/// ```
/// read the queue index → compose → commit the report → mark the failures as reported
/// ```
///
/// **The order is the promise**: the report is on disk before the failures count as reported, and the original is removed only
/// after that. A crash in between tells the sender twice, never not at all. Local trouble anywhere leaves everything as it was; the
/// queue manager asks again.
///
/// **Nobody is told** when the sender is the null sender, whose mail is itself a report (RFC 5321 section 4.5.5), or when NOTIFY
/// says that nobody wants to hear of it (RFC 3461 section 4.1). Then the failures count as reported at once.
///
/// Blocking; on threads that nobody interrupts.
public final class Reporter {
    private static final Logger log = LoggerFactory.getLogger(Reporter.class);

    private final Spool spool;
    private final ReportSink outbox;
    private final String hostname;
    private final UnaryOperator<Address> postmaster;
    private final long lifetimeMillis;
    private final Clock clock;

    /// Takes the report into the spool and announces its arrival.
    @FunctionalInterface
    public interface ReportSink {
        MessageSummary submit(Envelope envelope, byte[] content) throws IOException;
    }

    /// @param hostname ours
    /// @param postmaster whom the reader of a report may ask, by the address that it goes to
    /// @param lifetimeMillis after which a message is given up
    /// @param clock its zone is used for dates
    public Reporter(Spool spool, ReportSink outbox, String hostname, UnaryOperator<Address> postmaster,
            long lifetimeMillis, Clock clock) {
        this.spool = spool;
        this.outbox = outbox;
        this.hostname = hostname;
        this.postmaster = postmaster;
        this.lifetimeMillis = lifetimeMillis;
        this.clock = clock;
    }

    /// True when the report is in the spool or nobody wanted one; false for local trouble: nothing has changed.
    public boolean report(QueueId id, NoticeKind kind) {
        try {
            Optional<Spool.Details> message = spool.details(id);
            if (message.isPresent()) {
                tell(id, ReportKind.of(kind), message.get());
                markAsTold(id, kind);
            }
            return true;
        } catch (IOException e) {
            log.warn("queue={} msg=\"report not made, trying again later\" reason=\"{}\"", id,
                    LogText.text(FailureWords.of(e)));
            return false;
        }
    }

    /// The same for recipients that have been delivered to; nothing marks them, because the message is removed next.
    public boolean confirm(QueueId id) {
        try {
            Optional<Spool.Details> message = spool.details(id);
            if (message.isPresent()) {
                tell(id, ReportKind.SUCCEEDED, message.get());
            }
            return true;
        } catch (IOException e) {
            log.warn("queue={} msg=\"receipt not made, trying again later\" reason=\"{}\"", id,
                    LogText.text(FailureWords.of(e)));
            return false;
        }
    }

    private void tell(QueueId id, ReportKind kind, Spool.Details message) throws IOException {
        List<Spool.RecipientState> about = message.recipients().stream().filter(kind::concerns)
                .toList();
        Optional<Address> sender = message.envelope().sender();
        if (sender.isEmpty()) {
            log.info("queue={} msg=\"no report, null sender\" recipients={}", id, about.size());
            return;
        }
        if (about.isEmpty()) {
            log.debug("queue={} msg=\"no report, nobody wants one\"", id);
            return;
        }
        ReportComposer.Composed composed = compose(id, kind, sender.get(), message, about);
        MessageSummary sent = outbox.submit(envelope(sender.get(), composed.eightBit()), composed.content());
        log.info("queue={} msg=\"sender told\" kind={} report={} to={} recipients={}", id, kind.word(), sent.id(),
                LogText.path(sender.get()), about.size());
    }

    private ReportComposer.Composed compose(QueueId id, ReportKind kind, Address sender, Spool.Details message,
            List<Spool.RecipientState> about) {
        OffsetDateTime date = OffsetDateTime.now(clock);
        Instant retryUntil = Instant.ofEpochMilli(message.summary().releaseMillis() + lifetimeMillis);
        DeliveryReport report = new DeliveryReport(hostname, postmaster.apply(sender), kind, sender, message, about,
                original(id, kind, message),
                date, retryUntil);
        return ReportComposer.compose(report, "=_" + id + "_" + kind.word() + "_" + date.toInstant().toEpochMilli());
    }

    // RET speaks of failures only (RFC 3461 section 4.3); of a delayed message the header is enough. A letter that cannot be read
    // must not keep its sender from hearing of it.
    //
    // Mail that was to travel in secret is not told of in the clear: without it the report may go any way (RFC 8689 section 5).
    private Optional<Original> original(QueueId id, ReportKind kind, Spool.Details message) {
        if (message.envelope().options().requireTls()) {
            return Optional.empty();
        }
        try {
            DsnReturn returns = kind == ReportKind.FAILED ? message.envelope().returns() : DsnReturn.HEADERS;
            return Optional.of(Original.of(spool.content(id), returns));
        } catch (IOException e) {
            log.warn("queue={} msg=\"letter not readable, reported without it\" reason=\"{}\"", id,
                    LogText.text(FailureWords.of(e)));
            return Optional.empty();
        }
    }

    private static Envelope envelope(Address sender, boolean eightBit) {
        // NOTIFY=NEVER because nobody is there to be told (RFC 3461 section 4.1).
        Recipient recipient = new Recipient(1, sender, Optional.empty(), Set.of(DsnNotify.NEVER));
        // An international sender is named in the header as it is (RFC 6532).
        boolean eightBitInAll = eightBit || sender.isInternational();
        return new Envelope(Optional.empty(), eightBitInAll ? BodyType.EIGHT_BIT_MIME : BodyType.SEVEN_BIT,
                sender.isInternational(), Optional.empty(), DsnReturn.UNSPECIFIED, List.of(recipient));
    }

    private void markAsTold(QueueId id, NoticeKind kind) {
        Runnable nothingMore = () -> {};
        switch (kind) {
            case FAILED -> spool.failuresReported(id, nothingMore);
            case DELAYED -> spool.delayReported(id, nothingMore);
        }
    }
}
