package org.slipstream.local.address;

import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Replaces the aliases of an envelope by their targets when the message arrives. The spool holds
/// only final addresses, so a change of the settings does not redirect queued mail. The sender stays,
/// as with an alias of RFC 5321 section 3.9.1, unless mail leaves to another domain with [Srs].
///
/// A target keeps the sender's DSN options and stores the original address under `original` (RFC
/// 3461 section 5.2.7.1), so that a report names an address that its reader knows. A target that is
/// reached twice gets the mail once: the first one stays.
public final class AliasExpansion {
    /// Of an alias, and of an envelope after the expansion of its aliases: a larger one costs too much.
    public static final int MOST_TARGETS = 10_000;
    /// The local part of a target that keeps the name of the recipient.
    public static final String SAME_NAME = "*";

    private AliasExpansion() {}

    /// @throws TooManyRecipientsException for more than [#MOST_TARGETS]
    public static Envelope of(Envelope asked, AddressBook book) throws TooManyRecipientsException {
        List<Recipient> found = new ArrayList<>(asked.recipients().size());
        Set<String> seen = new HashSet<>();
        for (Recipient recipient : asked.recipients()) {
            for (Address target : targets(recipient.address(), book)) {
                if (seen.add(book.key(target))) {
                    found.add(new Recipient(found.size() + 1, target, original(recipient, target),
                            recipient.notifyOn()));
                }
            }
            if (found.size() > MOST_TARGETS) {
                throw new TooManyRecipientsException(MOST_TARGETS);
            }
        }
        return asked.withRecipients(found);
    }

    /// Divides an expanded envelope by the senders with which its mail leaves. The first one is that of the
    /// message; another one follows when only a part of the recipients needs a rewritten sender.
    ///
    /// Mail is forwarded to a recipient of another domain whom the client did not name: the target of an alias,
    /// or a copy.
    ///
    /// @param named as the client gave it
    public static List<Envelope> bySender(Envelope named, Envelope expanded, AddressBook book) {
        Optional<Address> rewritten = expanded.sender().flatMap(book::forwardedSender);
        if (rewritten.isEmpty()) {
            return List.of(expanded);
        }
        Set<String> asked = new HashSet<>();
        named.recipients().forEach(recipient -> asked.add(book.key(recipient.address())));
        List<Recipient> kept = new ArrayList<>();
        List<Recipient> forwarded = new ArrayList<>();
        for (Recipient each : expanded.recipients()) {
            boolean isForwarded = !asked.contains(book.key(each.address()))
                    && book.decide(each.address()) instanceof AddressBook.Decision.Remote;
            List<Recipient> part = isForwarded ? forwarded : kept;
            part.add(new Recipient(part.size() + 1, each.address(), each.original(), each.notifyOn()));
        }
        List<Envelope> envelopes = new ArrayList<>(2);
        if (!kept.isEmpty()) {
            envelopes.add(expanded.withRecipients(kept));
        }
        if (!forwarded.isEmpty()) {
            envelopes.add(expanded.withRecipients(forwarded).withSender(rewritten));
        }
        return envelopes;
    }

    // An address that was removed since RCPT is kept: the delivery fails, and the sender gets a
    // report.
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

    /// True for the target `@domain`.
    public static boolean keepsName(Address target) {
        return target.localPart().equals(SAME_NAME);
    }
}
