package org.slipstream.server.report;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.settings.DelayTimes;
import org.slipstream.spool.Draft;
import org.slipstream.spool.ReportableMessages;
import org.slipstream.spool.log.LogRecord;

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
/// read the queue index → compose → commit the report with the mark that it exists
/// ```
///
/// **One record has the report and its mark**: the failures count as reported, or the message that was delivered is
/// removed, exactly when the report is in the log. So after a crash the sender gets one report, never none or two. The
/// report is therefore in the log of its message, with several shards, too. A local failure leaves everything
/// unchanged, and the queue manager asks again.
///
/// **No report is sent** when NOTIFY excludes it (RFC 3461 section 4.1), and none to the null sender,
/// whose mail is itself a report (RFC 5321 section 4.5.5). Failures of such mail may go to the
/// postmaster instead, and a failure of that notice is not reported. Reports that only inform are no
/// answer to automatic mail (RFC 3834 section 2), unless its sender asked for them (NOTIFY=DELAY).
/// In each case the failures count as reported at once.
///
/// Blocking; on threads that are never interrupted.
public final class Reporter {
    private static final Logger log = LoggerFactory.getLogger(Reporter.class);

    private final ReportableMessages spool;
    private final ReportSink sink;
    private final ReporterSettings settings;
    private final Clock clock;

    /// Commits the report and announces its arrival.
    @FunctionalInterface
    public interface ReportSink {
        /// @param draft without content; closed in any case
        MessageSummary submit(Draft draft, Envelope envelope, byte[] content) throws IOException;
    }

    /// @param hostname ours
    /// @param postmaster contact address, by the address that the report goes to
    /// @param lifetimeMillis after which a message expires
    /// @param doubleBounces recipient of notices about failed mail of the null sender; empty: none
    public record ReporterSettings(String hostname, UnaryOperator<Address> postmaster, long lifetimeMillis,
            DelayTimes delayTimes, Optional<Address> doubleBounces, ReportTemplates templates) {}

    /// @param clock its zone is used for dates
    public Reporter(ReportableMessages spool, ReportSink sink, ReporterSettings settings, Clock clock) {
        this.spool = spool;
        this.sink = sink;
        this.settings = settings;
        this.clock = clock;
    }

    /// True when the report is in the spool or none was requested; false after a local failure:
    /// nothing has changed.
    public boolean report(QueueId id, ReportKind kind) {
        try {
            Optional<MessageDetails> message = spool.details(id);
            if (message.isPresent()) {
                send(id, kind, message.get());
            }
            return true;
        } catch (IOException e) {
            String error = LogText.text(FailureWords.of(e));
            if (kind == ReportKind.DELIVERED) {
                log.warn("event=receipt-failed queue={} next=\"tried again later\" error=\"{}\"", id, error);
            } else {
                log.warn("event=report-failed queue={} next=\"tried again later\" error=\"{}\"", id, error);
            }
            return false;
        }
    }

    private void send(QueueId id, ReportKind event, MessageDetails message) throws IOException {
        boolean doubleBounce = event == ReportKind.FAILED && message.envelope().sender().isEmpty()
                && !message.envelope().envelopeId().equals(Optional.of(ReportKind.DOUBLE_BOUNCE.word()));
        ReportKind kind = doubleBounce ? ReportKind.DOUBLE_BOUNCE : event;
        Optional<Address> sender = doubleBounce ? settings.doubleBounces() : message.envelope().sender();
        List<RecipientState> about = about(id, kind, message);
        if (sender.isEmpty()) {
            log.info("event=report-skipped queue={} reason=\"null sender\" count={}", id, about.size());
            markAlone(mark(id, event, message));
            return;
        }
        if (about.isEmpty()) {
            log.debug("event=report-skipped queue={} reason=\"not requested\"", id);
            markAlone(mark(id, event, message));
            return;
        }
        ReportComposer.Composed composed = compose(id, kind, sender.get(), message, about);
        MessageSummary sent = sink.submit(spool.draftAbout(mark(id, event, message)),
                envelope(sender.get(), kind, composed).withOptions(options(message))
                        .withOrigin(Origin.ofReport(id, composed.messageId())),
                composed.content());
        log.info("event=report-queued queue={} kind={} report={} recipient={} count={}", id, kind.word(), sent.id(),
                LogText.path(sender.get()), about.size());
    }

    private List<RecipientState> about(QueueId id, ReportKind kind, MessageDetails message) {
        List<RecipientState> about = message.recipients().stream().filter(kind::concerns)
                .filter(each -> !StatusPart.isDiscarded(each))
                .filter(each -> kind != ReportKind.CLEARED || wasLate(each, message)).toList();
        if (kind.onlyInforms && !about.isEmpty() && isAutomatic(id)) {
            return about.stream().filter(each -> each.recipient().notifyOn().contains(DsnNotify.DELAY)).toList();
        }
        return kind == ReportKind.DELIVERED ? Expansion.summarized(about, message.recipients()) : about;
    }

    // The recipient was open when the first report of a delay was due.
    private boolean wasLate(RecipientState state, MessageDetails message) {
        return settings.delayTimes().passed(message.summary().releaseMillis(), state.atMillis()) > 0;
    }

    private boolean isAutomatic(QueueId id) {
        try {
            return AutomaticMail.is(Original.of(spool.content(id), DsnReturn.HEADERS).header());
        } catch (IOException unreadable) {
            return false;
        }
    }

    private ReportComposer.Composed compose(QueueId id, ReportKind kind, Address sender, MessageDetails message,
            List<RecipientState> about) {
        OffsetDateTime date = OffsetDateTime.now(clock);
        Instant retryUntil = Instant.ofEpochMilli(message.summary().releaseMillis() + settings.lifetimeMillis());
        DeliveryReport report = new DeliveryReport(settings.hostname(), settings.postmaster().apply(sender),
                kind, sender, message, about,
                original(id, kind, message),
                date, retryUntil);
        return ReportComposer.compose(report, settings.templates().of(kind),
                "=_" + id + "_" + kind.word() + "_" + date.toInstant().toEpochMilli());
    }

    // RET concerns failures only (RFC 3461 section 4.3); for a delayed message the header is
    // enough. Unreadable content must not prevent the report.
    //
    // Mail that requires TLS is not returned in the clear: without its content the report may go
    // any way (RFC 8689 section 5).
    private Optional<Original> original(QueueId id, ReportKind kind, MessageDetails message) {
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

    // The message may have failed because of TLS, and the sender did not want that (RFC 8689 section 5).
    private static DeliveryOptions options(MessageDetails message) {
        return DeliveryOptions.NONE.with(
                message.envelope().options().tls() == SenderTls.OPTIONAL ? SenderTls.OPTIONAL : SenderTls.USUAL);
    }

    private static Envelope envelope(Address sender, ReportKind kind, ReportComposer.Composed composed) {
        // NOTIFY=NEVER because a report about a report is never sent (RFC 3461 section 4.1).
        Recipient recipient = new Recipient(1, sender, Optional.empty(), Set.of(DsnNotify.NEVER));
        // An international sender appears unchanged in the header (RFC 6532).
        boolean eightBit = composed.eightBit() || sender.isInternational();
        // The envelope id marks a notice to the postmaster, which causes no other one.
        Optional<String> mark = Optional.of(kind.word()).filter(_ -> kind == ReportKind.DOUBLE_BOUNCE);
        return new Envelope(Optional.empty(), eightBit ? BodyType.EIGHT_BIT_MIME : BodyType.SEVEN_BIT,
                composed.international(), mark, DsnReturn.UNSPECIFIED, List.of(recipient));
    }

    /// The change of the message that the report leads to.
    private LogRecord.OfMessage mark(QueueId id, ReportKind event, MessageDetails message) {
        return switch (event) {
            case FAILED, DOUBLE_BOUNCE -> new LogRecord.FailuresReported(id);
            // A deadline of the sender (RFC 2852) may cause the report before the first time.
            case DELAYED -> new LogRecord.DelayReported(id,
                    Math.max(1, settings.delayTimes().passed(message.summary().releaseMillis(), clock.millis())));
            // The delay is over, so no report of it is left to be cleared.
            case CLEARED -> new LogRecord.DelayReported(id, 0);
            // The removal follows in any case, and only the first one counts.
            case DELIVERED -> new LogRecord.Remove(id);
        };
    }

    /// There is no report.
    private void markAlone(LogRecord.OfMessage mark) {
        Runnable nothingMore = () -> {};
        switch (mark) {
            case LogRecord.FailuresReported(QueueId id) -> spool.failuresReported(id, nothingMore);
            case LogRecord.DelayReported(QueueId id, int count) when count > 0 ->
                spool.delayReported(id, count, nothingMore);
            default -> {
                // The message is removed next.
            }
        }
    }
}
