package org.slipstream.server.policy;

import org.slipstream.core.Address;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Ruling;

import java.util.Optional;

/// A sender to whom nothing could ever be returned is no sender. What DNS says for certain counts, its silence does not: an outage
/// of ours is no fault of theirs.
public final class SenderDomain implements Check {
    private final NameQuestions names;
    private final InTime inTime;

    SenderDomain(NameQuestions names, InTime inTime) {
        this.names = names;
        this.inTime = inTime;
    }

    @Override
    public String name() {
        return "sender-domain";
    }

    @Override
    public Ruling rcpt(Client client, Rcpt rcpt) {
        Optional<String> domain = rcpt.sender().map(Address::domain);
        if (domain.isEmpty()) {
            return Ruling.pass();
        }
        return switch (inTime.ask(domain.get(), () -> names.mail(domain.get())).join()
                .orElse(NameQuestions.Mail.TROUBLE)) {
            case POSSIBLE, TROUBLE -> Ruling.pass();
            case NO_SUCH_DOMAIN -> Ruling.reject(550, "5.1.8", "The sender's domain " + domain.get()
                    + " does not exist");
            // RFC 7505 section 4.2.
            case TAKES_NONE -> Ruling.reject(550, "5.7.27", "The sender's domain " + domain.get() + " takes no mail");
        };
    }
}
