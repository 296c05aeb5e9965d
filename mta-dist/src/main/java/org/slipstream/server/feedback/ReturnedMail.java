package org.slipstream.server.feedback;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.order.SuppressionVerb.Cause;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.events.feedback.MailTrace;
import org.slipstream.events.feedback.ReportReader;
import org.slipstream.events.feedback.ReturnedReport;
import org.slipstream.events.feedback.ReturnedReport.ReportMeaning;
import org.slipstream.events.feedback.SealedText;
import org.slipstream.events.stream.MailEventKind;
import org.slipstream.events.stream.UnloggedEvent;
import org.slipstream.events.suppression.Suppression;
import org.slipstream.local.maildir.LocalDelivery.LocalResult;
import org.slipstream.server.dispatch.OrderDispatcher.LocalMailboxes;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Takes complaints and late reports out of the mail for the mailboxes of this server.
///
/// A report for `feedback.address` that says something about a message of ours goes no further; another one is
/// delivered, because a person may understand it. A report to the sender of a message is delivered in any case.
///
/// The effects are on disk before the report has an outcome, so a kill between the two has them a second time, with
/// the same id of the event. When they cannot be written, the report waits.
public final class ReturnedMail implements LocalMailboxes {
    private static final Logger log = LoggerFactory.getLogger(ReturnedMail.class);
    private static final String HERE = "feedback";

    private final LocalMailboxes mailboxes;
    private final Supplier<Config> config;
    private final Supplier<Optional<SealedText>> seal;
    private final ReportEffects effects;
    private final LongSupplier clock;

    /// The effects of a report. Blocking; on disk when a method returns.
    ///
    /// @param events gets an event
    /// @param suppress adds an entry to the list
    /// @param refused counts the refusal of a recipient
    /// @param complained counts a complaint about a user
    public record ReportEffects(EventSink events, SuppressionSink suppress, RefusalSink refused,
            Consumer<String> complained) {}

    @FunctionalInterface
    public interface EventSink {
        void tell(UnloggedEvent event) throws IOException;
    }

    @FunctionalInterface
    public interface SuppressionSink {
        void add(Suppression entry) throws IOException;
    }

    @FunctionalInterface
    public interface RefusalSink {
        void refused(Address recipient, Outcome outcome);
    }

    /// @param mailboxes for all other mail
    /// @param config in force
    public ReturnedMail(LocalMailboxes mailboxes, Supplier<Config> config, Supplier<Optional<SealedText>> seal,
            ReportEffects effects, LongSupplier clock) {
        this.mailboxes = mailboxes;
        this.config = config;
        this.seal = seal;
        this.effects = effects;
        this.clock = clock;
    }

    @Override
    public LocalResult deliver(QueueId id, Envelope envelope, List<Recipient> recipients, Content content) {
        Optional<Address> address = config.get().feedback().address();
        boolean fromNobody = envelope.sender().isEmpty();
        List<Recipient> others = recipients.stream()
                .filter(each -> address.filter(own -> own.folded().equals(each.address().folded())).isEmpty()).toList();
        Optional<SealedText> by = seal.get();
        boolean read = address.isPresent() && by.isPresent() && !envelope.origin().isOfThisMachine()
                && (fromNobody || others.size() < recipients.size());
        if (!read) {
            return mailboxes.deliver(id, envelope, recipients, content);
        }
        try {
            Optional<ReturnedReport> report = new ReportReader(by.get(), config.get().bounceClasses())
                    .read(content, fromNobody);
            if (report.isEmpty()) {
                return mailboxes.deliver(id, envelope, recipients, content);
            }
            take(id, report.get());
        } catch (IOException trouble) {
            log.warn("event=report-not-taken queue={} next=\"deferred\" error=\"{}\"", id,
                    LogText.text(FailureWords.of(trouble)));
            return new LocalResult.Unreadable(Reply.of(451, "4.3.0", "the report cannot be recorded"));
        }
        return others.isEmpty()
                ? new LocalResult.Decided(taken(recipients))
                : together(recipients, others, mailboxes.deliver(id, envelope, others, content));
    }

    private static List<RecipientOutcome> taken(List<Recipient> recipients) {
        Outcome done = new Outcome.Delivered(Reply.of(250, "2.0.0", "report taken"), HERE);
        return recipients.stream().map(each -> new RecipientOutcome(each.number(), done)).toList();
    }

    private static LocalResult together(List<Recipient> recipients, List<Recipient> others, LocalResult result) {
        if (!(result instanceof LocalResult.Decided(List<RecipientOutcome> outcomes))) {
            return result;
        }
        Map<Integer, RecipientOutcome> byNumber = new HashMap<>();
        outcomes.forEach(each -> byNumber.put(each.number(), each));
        taken(recipients.stream().filter(each -> !others.contains(each)).toList())
                .forEach(each -> byNumber.put(each.number(), each));
        List<RecipientOutcome> all = new ArrayList<>();
        recipients.forEach(each -> Optional.ofNullable(byNumber.get(each.number())).ifPresent(all::add));
        return new LocalResult.Decided(all);
    }

    // ---- effects

    private void take(QueueId report, ReturnedReport said) throws IOException {
        MailTrace trace = said.trace();
        SequencedMap<String, String> fields = new LinkedHashMap<>();
        fields.put("queue", trace.queue().toString());
        fields.put("sender", trace.sender());
        fields.put("user", trace.user());
        fields.put("number", trace.number() == 0 ? "" : Integer.toString(trace.number()));
        fields.put("recipient", trace.recipient());
        fields.put("report", report.toString());
        fields.put("reporter", said.reporter());
        MailEventKind kind = switch (said.meaning()) {
            case ReportMeaning.Complaint(String feedbackType) -> {
                fields.put("reason", feedbackType);
                complained(trace, said.reporter(), feedbackType);
                yield MailEventKind.COMPLAINT;
            }
            case ReportMeaning.Failure(Reply reply) -> {
                fields.put("reply", reply.toString());
                fields.put("code", Integer.toString(reply.code()));
                fields.put("status", reply.status().map(Object::toString).orElse(""));
                fields.put("bounceClass", config.get().bounceClasses().of(reply).word());
                Address.parse(trace.recipient())
                        .ifPresent(each -> effects.refused.refused(each, new Outcome.Failed(reply, HERE)));
                yield MailEventKind.RETURNED;
            }
        };
        effects.events.tell(new UnloggedEvent(kind, fact(kind, trace, report), clock.getAsLong(), fields));
        log.info("event=report-taken queue={} kind={} about={} recipient={} reporter=\"{}\"", report, kind.word(),
                trace.queue(), LogText.path(Address.parse(trace.recipient())), LogText.text(said.reporter()));
    }

    /// Of copies for several recipients, each may come back.
    private static String fact(MailEventKind kind, MailTrace trace, QueueId report) {
        return trace.queue() + "-" + kind.word() + "-" + trace.number() + (trace.number() == 0 ? "-" + report : "");
    }

    private void complained(MailTrace trace, String reporter, String feedbackType) throws IOException {
        Optional<Address> recipient = Address.parse(trace.recipient());
        if (recipient.isPresent() && !trace.senderDomain().isEmpty()) {
            effects.suppress.add(new Suppression(recipient.get().folded().toString(), trace.senderDomain(),
                    Cause.COMPLAINT, (feedbackType + " " + reporter).strip(), clock.getAsLong(), Long.MAX_VALUE));
        }
        if (!trace.user().isEmpty()) {
            effects.complained.accept(trace.user());
        }
    }
}
