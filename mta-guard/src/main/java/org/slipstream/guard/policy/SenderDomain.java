package org.slipstream.guard.policy;

import org.slipstream.core.Address;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Ruling;

import java.util.Optional;

/// Refuses senders whose domain cannot receive a report. Only definite DNS answers count: a failure
/// of our DNS is not a fault of the sender.
public final class SenderDomain implements Check {
    private final NameQuestions names;
    private final TimedQueries inTime;

    SenderDomain(NameQuestions names, TimedQueries inTime) {
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
                .orElse(NameQuestions.MailCapability.TROUBLE)) {
            case POSSIBLE, TROUBLE -> Ruling.pass();
            case NO_SUCH_DOMAIN -> Ruling.reject(550, "5.1.8", "Sender address rejected: Domain " + domain.get()
                    + " not found");
            // RFC 7505 section 4.2.
            case TAKES_NONE -> Ruling.reject(550, "5.7.27",
                    "Sender address rejected: Domain " + domain.get() + " does not accept mail (null MX)");
        };
    }
}
