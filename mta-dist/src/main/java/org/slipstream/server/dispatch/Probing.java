package org.slipstream.server.dispatch;

import org.slipstream.core.Address;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/// Address verification by this server: an address of a local domain is looked up; for other
/// addresses the queue manager sends a probe.
///
/// @param local whether a mailbox exists; empty for an address of another domain
/// @param probed told the answers of hosts
public record Probing(Commands commands, Function<Address, Optional<Boolean>> local,
        BiConsumer<Address, VerificationVerdict> probed) implements Verifications {
    @Override
    public void verify(Address address, Consumer<VerificationVerdict> answer) {
        Optional<Boolean> known = local.apply(address);
        if (known.isPresent()) {
            answer.accept(known.get()
                    ? new VerificationVerdict(VerificationResult.DELIVERABLE, "local:" + address.domainKey(), "local",
                            Reply.of(250, "2.1.5", "Mailbox exists"))
                    : new VerificationVerdict(VerificationResult.UNDELIVERABLE, "local:" + address.domainKey(), "local",
                            Reply.of(550, "5.1.1", "User unknown in local recipient table")));
        } else {
            commands.verify(address, verified -> {
                VerificationVerdict verdict = verdict(verified);
                probed.accept(address, verdict);
                answer.accept(verdict);
            });
        }
    }

    private static VerificationVerdict verdict(QmgrOrder.Verified verified) {
        VerificationResult result = switch (verified.outcome()) {
            case Outcome.Delivered _ -> VerificationResult.DELIVERABLE;
            case Outcome.Failed _ -> VerificationResult.UNDELIVERABLE;
            case Outcome.Deferred _ -> VerificationResult.UNKNOWN;
        };
        return new VerificationVerdict(result, verified.route(), verified.outcome().remote(),
                verified.outcome().reply());
    }
}
