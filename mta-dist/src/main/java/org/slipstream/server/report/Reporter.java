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
import org.slipstream.spool.ReportableMessages;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/// Reports the fate of a message to its sender, in a message with the null sender.
///
/// ```
/// read the queue index → compose → commit the report → mark the failures as reported
/// ```
///
/// **The order guarantees the report**: the report is on disk before the failures count as
/// reported, and the original is removed only after that. After a crash in between the sender may
/// get two reports, but never none. A local failure leaves everything unchanged, and the queue
/// manager asks again.
///
/// **No report is sent** when the sender is the null sender, whose mail is itself a report (RFC
/// 5321 section 4.5.5), or when NOTIFY excludes it (RFC 3461 section 4.1). Then the failures count
/// as reported at once.
///
/// Blocking; on threads that are never interrupted.
public final class Reporter {
    private static final Logger log = LoggerFactory.getLogger(Reporter.class);

    private final ReportableMessages spool;
    private final ReportSink sink;
    private final String hostname;
    private final UnaryOperator<Address> postmaster;
    private final long lifetimeMillis;
    private final Clock clock;

    /// Commits the report to the spool and announces its arrival.
    @FunctionalInterface
    public interface ReportSink {
        MessageSummary submit(Envelope envelope, byte[] content) throws IOException;
    }

    /// @param hostname ours
    /// @param postmaster contact address, by the address that the report goes to
    /// @param lifetimeMillis after which a message expires
    /// @param clock its zone is used for dates
    public Reporter(ReportableMessages spool, ReportSink sink, String hostname, UnaryOperator<Address> postmaster,
            long lifetimeMillis, Clock clock) {
        this.spool = spool;
        this.sink = sink;
        this.hostname = hostname;
        this.postmaster = postmaster;
        this.lifetimeMillis = lifetimeMillis;
        this.clock = clock;
    }

    /// True when the report is in the spool or none was requested; false after a local failure:
    /// nothing has changed.
    public boolean report(QueueId id, NoticeKind kind) {
        try {
            Optional<Spool.Details> message = spool.details(id);
            if (message.isPresent()) {
                send(id, ReportKind.of(kind), message.get());
                markAsReported(id, kind);
            }
            return true;
        } catch (IOException e) {
            log.warn("event=report-failed queue={} next=\"tried again later\" error=\"{}\"", id,
                    LogText.text(FailureWords.of(e)));
            return false;
        }
    }

    /// The same for delivered recipients; they are not marked, because the message is removed next.
    public boolean confirm(QueueId id) {
        try {
            Optional<Spool.Details> message = spool.details(id);
            if (message.isPresent()) {
                send(id, ReportKind.SUCCEEDED, message.get());
            }
            return true;
        } catch (IOException e) {
            log.warn("event=receipt-failed queue={} next=\"tried again later\" error=\"{}\"", id,
                    LogText.text(FailureWords.of(e)));
            return false;
        }
    }

    private void send(QueueId id, ReportKind kind, Spool.Details message) throws IOException {
        List<Spool.RecipientState> about = message.recipients().stream().filter(kind::concerns)
                .toList();
        Optional<Address> sender = message.envelope().sender();
        if (sender.isEmpty()) {
            log.info("event=report-skipped queue={} reason=\"null sender\" count={}", id, about.size());
            return;
        }
        if (about.isEmpty()) {
            log.debug("event=report-skipped queue={} reason=\"not requested\"", id);
            return;
        }
        ReportComposer.Composed composed = compose(id, kind, sender.get(), message, about);
        MessageSummary sent = sink.submit(envelope(sender.get(), composed.eightBit()), composed.content());
        log.info("event=report-queued queue={} kind={} report={} recipient={} count={}", id, kind.word(), sent.id(),
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

    // RET concerns failures only (RFC 3461 section 4.3); for a delayed message the header is
    // enough. Unreadable content must not prevent the report.
    //
    // Mail that requires TLS is not returned in the clear: without its content the report may go
    // any way (RFC 8689 section 5).
    private Optional<Original> original(QueueId id, ReportKind kind, Spool.Details message) {
        if (message.envelope().options().requireTls()) {
            return Optional.empty();
        }
        try {
            DsnReturn returns = kind == ReportKind.FAILED ? message.envelope().returns() : DsnReturn.HEADERS;
            return Optional.of(Original.of(spool.content(id), returns));
        } catch (IOException e) {
            log.warn("event=content-not-read queue={} next=\"the report is sent without it\" error=\"{}\"", id,
                    LogText.text(FailureWords.of(e)));
            return Optional.empty();
        }
    }

    private static Envelope envelope(Address sender, boolean eightBit) {
        // NOTIFY=NEVER because a report about a report is never sent (RFC 3461 section 4.1).
        Recipient recipient = new Recipient(1, sender, Optional.empty(), Set.of(DsnNotify.NEVER));
        // An international sender appears unchanged in the header (RFC 6532).
        boolean eightBitInAll = eightBit || sender.isInternational();
        return new Envelope(Optional.empty(), eightBitInAll ? BodyType.EIGHT_BIT_MIME : BodyType.SEVEN_BIT,
                sender.isInternational(), Optional.empty(), DsnReturn.UNSPECIFIED, List.of(recipient));
    }

    private void markAsReported(QueueId id, NoticeKind kind) {
        Runnable nothingMore = () -> {};
        switch (kind) {
            case FAILED -> spool.failuresReported(id, nothingMore);
            case DELAYED -> spool.delayReported(id, nothingMore);
        }
    }
}
