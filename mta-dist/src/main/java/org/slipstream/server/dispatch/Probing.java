package org.slipstream.server.dispatch;

import org.slipstream.core.Address;
import org.slipstream.core.Outcome;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/// Address verification by this server: an address of a local domain is looked up; for other addresses the
/// queue manager sends a probe.
///
/// @param local whether a mailbox exists; empty for an address of another domain
public record Probing(Commands commands, Function<Address, Optional<Boolean>> local) implements Verifications {
    @Override
    public void verify(Address address, Consumer<Verdict> answer) {
        Optional<Boolean> known = local.apply(address);
        if (known.isPresent()) {
            answer.accept(known.get()
                    ? new Verdict(Result.DELIVERABLE, "local:" + address.domainKey(), "local",
                            Reply.of(250, "2.1.5", "Mailbox exists"))
                    : new Verdict(Result.UNDELIVERABLE, "local:" + address.domainKey(), "local",
                            Reply.of(550, "5.1.1", "User unknown in local recipient table")));
        } else {
            commands.verify(address, verified -> answer.accept(verdict(verified)));
        }
    }

    private static Verdict verdict(QmgrOrder.Verified verified) {
        Result result = switch (verified.outcome()) {
            case Outcome.Delivered _ -> Result.DELIVERABLE;
            case Outcome.Failed _ -> Result.UNDELIVERABLE;
            case Outcome.Deferred _ -> Result.UNKNOWN;
        };
        return new Verdict(result, verified.route(), verified.outcome().remote(), verified.outcome().reply());
    }
}
