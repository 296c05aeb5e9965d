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

/// Asks the policy, and then the door; keeps what is suspected of the client, and logs every refusal with its reason. One per
/// session, on its thread.
final class PolicyGate {
    private static final Logger log = LoggerFactory.getLogger(PolicyGate.class);

    private final Policy policy;
    private final MessageHandler handler;
    private List<Tag> ofConnection = List.of();
    private List<Tag> ofName = List.of();

    PolicyGate(ListenerServices services) {
        this.policy = services.policy();
        this.handler = services.handler();
    }

    Optional<Reply> connect(Client client, boolean early) {
        Policy.Verdict verdict = policy.connect(client, early);
        ofConnection = verdict.tags();
        return refusal(client, verdict);
    }

    Optional<Reply> hello(Client client) {
        Policy.Verdict verdict = policy.hello(client);
        ofName = verdict.tags();
        return refusal(client, verdict);
    }

    private static Optional<Reply> refusal(Client client, Policy.Verdict verdict) {
        verdict.refusal().ifPresent(reply -> logRefusal(client, reply, "", verdict.decider()));
        return verdict.refusal();
    }

    /// @param mail begun with this command; it gets the suspicions
    Optional<Reply> sender(Client client, Command.Mail command, ReceivingTransaction mail) {
        long declared = command.parameters().declaredBytes();
        // What is suspected of a client is suspected of each of its messages.
        mail.add(ofConnection);
        mail.add(ofName);
        return ofTheMessage(client, mail, () -> " from=" + LogText.path(command.sender()),
                policy.mail(client, command.sender(), declared),
                () -> handler.sender(client, command.sender(), declared));
    }

    Optional<Reply> recipient(Client client, Command.Rcpt rcpt, ReceivingTransaction mail) {
        return ofTheMessage(client, mail,
                () -> " from=" + LogText.path(mail.sender()) + " to=" + LogText.path(rcpt.recipient()),
                policy.rcpt(client,
                        new Check.Rcpt(mail.sender(), rcpt.recipient(), rcpt.routed(), mail.recipients())),
                () -> handler.recipient(client, mail.sender(), rcpt.recipient()));
    }

    private interface Question {
        MessageHandler.Verdict ask();
    }

    private static Optional<Reply> ofTheMessage(Client client, ReceivingTransaction mail, Supplier<String> whose,
            Policy.Verdict verdict, Question further) {
        if (verdict.refusal().isPresent()) {
            logRefusal(client, verdict.refusal().get(), whose.get(), verdict.decider());
            return verdict.refusal();
        }
        return switch (further.ask()) {
            case MessageHandler.Verdict.Accept() -> {
                mail.add(verdict.tags());
                yield Optional.empty();
            }
            case MessageHandler.Verdict.Refuse(Reply reply) -> {
                logRefusal(client, reply, whose.get(), Optional.empty());
                yield Optional.of(reply);
            }
        };
    }

    /// Another client speaks from here on.
    void forget() {
        ofConnection = List.of();
        ofName = List.of();
    }

    /// @param whose ` from=<…>` and ` to=<…>` as far as known
    /// @param check which refused it; empty when the protocol or the door did
    static void logRefusal(Client client, Reply reply, String whose, Optional<String> check) {
        log.info("session={} client={} helo={}{}{} reply=\"{}\"", client.session(),
                ReceivedLine.literal(client.address()), LogText.word(client.helo().orElse("")),
                check.map(name -> " check=" + name).orElse(""), whose, LogText.text(reply.toString()));
    }
}
