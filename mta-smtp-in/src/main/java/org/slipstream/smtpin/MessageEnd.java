package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Envelope;
import org.slipstream.core.LogText;
import org.slipstream.core.Origin;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Policy;

import java.util.Optional;
import java.util.stream.Collectors;

/// The end of a message, the same for a session and for a program without one: the policy sees the whole, then the
/// message is committed, and its line stands in the log.
final class MessageEnd {
    private static final Logger log = LoggerFactory.getLogger(MessageEnd.class);

    private MessageEnd() {}

    /// The envelope's parts are complete, and the content has no fault yet. A fault that is found here is one of
    /// `incoming`.
    static void checkAndCommit(Policy policy, Client client, IncomingMessage incoming, ReceivingTransaction mail) {
        Envelope envelope = mail.envelope(incoming.eightBit());
        Policy.Verdict verdict = policy.end(client,
                new Check.CheckedMessage(incoming.id(), envelope, incoming.sizeBytes(), incoming.header(),
                        incoming.content()));
        mail.add(verdict);
        if (verdict.refusal().isPresent()) {
            log.info("event=message-refused queue={} session={} client={} check={}", incoming.id(), client.session(),
                    ReceivedLine.literal(client.address()), verdict.decider().orElse(""));
            incoming.refuse(verdict.refusal().get());
        } else {
            incoming.change(verdict.header());
            incoming.commit(envelope.withOrigin(origin(client, incoming, mail.data())),
                    mail.extras(client.user(), incoming.isTlsOptional()));
        }
    }

    private static Origin origin(Client client, IncomingMessage incoming, String data) {
        return new Origin(client.service(), ReceivedLine.literal(client.address()), client.helo().orElse(""),
                client.user().orElse(""), incoming.messageId().orElse(""), Optional.empty(), data);
    }

    static void logAccepted(Client client, IncomingMessage incoming, ReceivingTransaction mail) {
        if (!log.isInfoEnabled()) {
            return;
        }
        EnvelopeExtras extras = mail.extras(client.user(), incoming.isTlsOptional());
        String user = client.user().map(name -> " user=\"" + LogText.text(name) + "\"").orElse("");
        String tags = extras.tags().isEmpty()
                ? ""
                : extras.tags().stream().map(tag -> LogText.text(tag.toString()))
                        .collect(Collectors.joining(",", " tags=\"", "\""));
        String messageId = incoming.messageId().map(id -> " message-id=\"" + LogText.text(id) + "\"").orElse("");
        log.info("event=message-accepted queue={} session={} client={} helo={}{} sender={} recipients={} bytes={}{}{}",
                incoming.id(), client.session(), ReceivedLine.literal(client.address()),
                LogText.word(client.helo().orElse("")), user, LogText.path(mail.sender()), mail.recipients(),
                incoming.sizeBytes(), messageId, tags);
    }
}
