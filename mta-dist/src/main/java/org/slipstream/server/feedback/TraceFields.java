package org.slipstream.server.feedback;

import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.auth.dkim.StreamedMessage;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Delivery;
import org.slipstream.events.feedback.FeedbackSettings;
import org.slipstream.events.feedback.MailTrace;
import org.slipstream.events.feedback.SealedText;
import org.slipstream.events.feedback.UnsubscribeLink;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;

/// The fields of this server on mail of its users: the trace, and the link to unsubscribe.
///
/// Both say for whom the copy is, so a delivery to several recipients has a trace without one, and no link: the copies
/// are equal. A report of this server has neither, so no report can be about a report.
///
/// @param settings in force
/// @param seal empty without secrets
public record TraceFields(Supplier<FeedbackSettings> settings, Supplier<Optional<SealedText>> seal) {
    /// Whole lines of ASCII; none when the settings ask for none.
    public byte[] fields(Delivery delivery, Envelope envelope, Content onWire) throws IOException {
        FeedbackSettings rules = settings.get();
        Optional<SealedText> by = rules.needsSecrets() ? seal.get() : Optional.empty();
        if (by.isEmpty() || envelope.sender().isEmpty()) {
            return new byte[0];
        }
        Optional<Recipient> only = delivery.recipients().size() == 1
                ? Optional.of(delivery.recipients().getFirst())
                : Optional.empty();
        String trace = rules.address().isEmpty() ? "" : trace(delivery, envelope, only).field(by.get());
        String links = rules.unsubscribeUrl().isPresent() && only.isPresent()
                && rules.unsubscribeDomains().contains(envelope.sender().get().domainKey()) && !isOfList(onWire)
                        ? link(delivery, envelope, only.get()).fields(by.get(), rules.unsubscribeUrl().get())
                        : "";
        return (trace + links).getBytes(StandardCharsets.US_ASCII);
    }

    private static MailTrace trace(Delivery delivery, Envelope envelope, Optional<Recipient> only) {
        return new MailTrace(delivery.id(), only.map(Recipient::number).orElse(0),
                envelope.sender().map(Address::toString).orElse(""),
                only.map(each -> each.address().toString()).orElse(""), envelope.origin().user());
    }

    private static UnsubscribeLink link(Delivery delivery, Envelope envelope, Recipient recipient) {
        return new UnsubscribeLink(delivery.id(), envelope.sender().orElseThrow().domainKey(), recipient.address());
    }

    /// A program that manages a list knows better how one leaves it.
    private static boolean isOfList(Content onWire) throws IOException {
        try (InputStream in = onWire.open()) {
            Optional<RawHeader> header = new StreamedMessage(in).header();
            return header.isEmpty() || header.get().count("list-unsubscribe") > 0;
        }
    }
}
