package org.slipstream.server.report;

import org.slipstream.core.Address;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientState;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Confirmations of an alias with several targets. The sender gets one, `expanded`, about the
/// address that was written (RFC 3461 section 5.2.7): it does not name the targets.
final class Expansion {
    /// The source of the outcome of an alias.
    static final String REMOTE = "alias:";

    private Expansion() {}

    /// Replaces the targets of each expanded alias by the alias.
    ///
    /// @param about recipients of a confirmation
    /// @param all recipients of the message
    static List<RecipientState> summarized(List<RecipientState> about, List<RecipientState> all) {
        Map<Object, RecipientState> found = new LinkedHashMap<>();
        for (RecipientState state : about) {
            Optional<Address> alias = state.recipient().original().flatMap(Expansion::address);
            long targets = all.stream()
                    .filter(each -> each.recipient().original().equals(state.recipient().original())).count();
            if (alias.isPresent() && targets > 1) {
                found.merge(alias.get(), expanded(state, alias.get(), targets), Expansion::later);
            } else {
                found.put(state.recipient().number(), state);
            }
        }
        return new ArrayList<>(found.values());
    }

    private static RecipientState later(RecipientState one, RecipientState other) {
        return one.atMillis() >= other.atMillis() ? one : other;
    }

    private static RecipientState expanded(RecipientState target, Address alias, long targets) {
        Recipient recipient = new Recipient(target.recipient().number(), alias, target.recipient().original(),
                target.recipient().notifyOn());
        return new RecipientState(recipient, target.state(),
                Optional.of(new Outcome.Delivered(Reply.of(250, "2.0.0", "expanded to " + targets + " recipients"),
                        REMOTE + alias)),
                target.atMillis());
    }

    private static Optional<Address> address(String original) {
        return Address.parse(original.substring(original.indexOf(';') + 1).strip());
    }
}
