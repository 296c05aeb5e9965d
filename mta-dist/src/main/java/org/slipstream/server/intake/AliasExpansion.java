package org.slipstream.server.intake;

import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Replaces the aliases of an envelope by their targets, once and for good: what is in the spool names only places to deliver to,
/// so a change of the settings does not send mail that waits another way.
///
/// A target keeps what the sender asked for it and remembers under `original` whom the sender meant (RFC 3461 section 5.2.7.1), so
/// that a report names an address that its reader knows. Whoever is reached twice gets the mail once: the first one stays.
final class AliasExpansion {
    /// Above this an envelope is more than one mistake or one client should be able to cost.
    static final int MOST_RECIPIENTS = 10_000;

    private AliasExpansion() {}

    /// @throws TooManyRecipientsException for more than [#MOST_RECIPIENTS]
    static Envelope of(Envelope asked, AddressBook book) throws TooManyRecipientsException {
        List<Recipient> found = new ArrayList<>(asked.recipients().size());
        Set<String> seen = new HashSet<>();
        for (Recipient recipient : asked.recipients()) {
            for (Address target : targets(recipient.address(), book)) {
                if (seen.add(book.key(target))) {
                    found.add(new Recipient(found.size() + 1, target, original(recipient, target),
                            recipient.notifyOn()));
                }
            }
            if (found.size() > MOST_RECIPIENTS) {
                throw new TooManyRecipientsException(MOST_RECIPIENTS);
            }
        }
        return asked.withRecipients(found);
    }

    // What has become unknown since RCPT is kept: delivery finds that out, and the sender hears of it.
    private static List<Address> targets(Address address, AddressBook book) {
        return switch (book.decide(address)) {
            case AddressBook.Decision.Alias(List<Address> targets) -> targets;
            case AddressBook.Decision.Mailbox _,AddressBook.Decision.Remote _,AddressBook.Decision.Unknown _ -> List
                    .of(book.canonical(address));
        };
    }

    private static Optional<String> original(Recipient asked, Address target) {
        return asked.original().isPresent() || target.equals(asked.address())
                ? asked.original()
                : Optional.of("rfc822;" + asked.address());
    }
}
