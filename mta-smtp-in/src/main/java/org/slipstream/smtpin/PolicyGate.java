package org.slipstream.smtpin;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.policy.Tag;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Asks the policy and then the message handler; keeps the tags of the client and logs every
/// refusal with its reason. One per session, on its thread.
final class PolicyGate {
    private static final Logger log = LoggerFactory.getLogger(PolicyGate.class);

    private final Policy policy;
    private final MessageHandler handler;
    private List<Tag> connectionTags = List.of();
    private List<Tag> helloTags = List.of();

    PolicyGate(ListenerServices services) {
        this.policy = services.policy();
        this.handler = services.handler();
    }

    Optional<Reply> connect(Client client, boolean early) {
        Policy.Verdict verdict = policy.connect(client, early);
        connectionTags = verdict.tags();
        return refusal(client, verdict);
    }

    Optional<Reply> hello(Client client) {
        Policy.Verdict verdict = policy.hello(client);
        helloTags = verdict.tags();
        return refusal(client, verdict);
    }

    private static Optional<Reply> refusal(Client client, Policy.Verdict verdict) {
        verdict.refusal().ifPresent(reply -> logRefusal(client, reply, "", verdict.decider()));
        return verdict.refusal();
    }

    /// @param mail begun with this command; gets the tags
    Optional<Reply> sender(Client client, Command.Mail command, ReceivingTransaction mail) {
        long declared = command.parameters().declaredBytes();
        // The tags of a client apply to each of its messages.
        mail.add(connectionTags);
        mail.add(helloTags);
        return decide(client, mail, () -> " sender=" + LogText.path(command.sender()),
                policy.mail(client, command.sender(), declared),
                () -> handler.sender(client, command.sender(), declared));
    }

    Optional<Reply> recipient(Client client, Command.Rcpt rcpt, ReceivingTransaction mail) {
        return decide(client, mail,
                () -> " sender=" + LogText.path(mail.sender()) + " recipient=" + LogText.path(rcpt.recipient()),
                policy.rcpt(client,
                        new Check.Rcpt(mail.sender(), rcpt.recipient(), rcpt.routed(), mail.recipients())),
                () -> handler.recipient(client, mail.sender(), rcpt.recipient()));
    }

    private interface Question {
        MessageHandler.HandlerVerdict ask();
    }

    private static Optional<Reply> decide(Client client, ReceivingTransaction mail, Supplier<String> envelopeKeys,
            Policy.Verdict verdict, Question further) {
        if (verdict.refusal().isPresent()) {
            logRefusal(client, verdict.refusal().get(), envelopeKeys.get(), verdict.decider());
            return verdict.refusal();
        }
        return switch (further.ask()) {
            case MessageHandler.HandlerVerdict.Accept() -> {
                mail.add(verdict);
                yield Optional.empty();
            }
            case MessageHandler.HandlerVerdict.Refuse(Reply reply) -> {
                logRefusal(client, reply, envelopeKeys.get(), Optional.empty());
                yield Optional.of(reply);
            }
        };
    }

    /// Drops all tags when XCLIENT replaces the client.
    void clearTags() {
        connectionTags = List.of();
        helloTags = List.of();
    }

    /// @param envelopeKeys ` sender=<…>` and ` recipient=<…>` as far as known
    /// @param check that refused; empty when the protocol or the handler did
    static void logRefusal(Client client, Reply reply, String envelopeKeys, Optional<String> check) {
        log.info("event=refused session={} client={} helo={}{}{} reply=\"{}\"", client.session(),
                ReceivedLine.literal(client.address()), LogText.word(client.helo().orElse("")),
                check.map(name -> " check=" + name).orElse(""), envelopeKeys, LogText.text(reply.toString()));
    }
}
