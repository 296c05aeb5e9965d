package org.slipstream.core.queue;

import org.slipstream.core.Address;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.Reply;
import org.slipstream.core.text.Controls;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// An operator's order that mail of one kind waits until an end. It concerns a destination, a
/// provider, a sender, a transport, or everything: a freeze.
///
/// A recipient that the order concerns gets [#reply] as its last outcome, without an attempt. The
/// reply names the order exactly, so the end of the order finds its mail by that text.
///
/// @param name a next hop or domain, an address or domain, a provider, or a transport; `*` matches any text.
/// Empty for [SuspensionScope#EVERYTHING]
/// @param untilMillis `Long.MAX_VALUE`: until it is resumed
public record Suspension(SuspensionScope scope, String name, String why, String author, long sinceMillis,
        long untilMillis) implements StandingOrder {
    private static final String KIND = "suspended-";

    public Suspension {
        name = normal(scope, name);
        why = Controls.onOneLine(why).strip();
        author = Controls.onOneLine(author).strip();
    }

    /// The mail that a suspension concerns.
    public enum SuspensionScope {
        /// A next hop, or a domain of recipients.
        DESTINATION,
        /// All next hops of a provider.
        PROVIDER,
        /// A sender's address, or a domain of senders; `<>` for reports.
        SENDER,
        /// All next hops of a transport.
        TRANSPORT,
        /// All deliveries: the server is frozen.
        EVERYTHING;

        /// The name in lower case.
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// The kind of an order that suspends mail of this scope.
        public String kind() {
            return KIND + word();
        }

        /// Empty for the kind of another order.
        public static Optional<SuspensionScope> ofKind(String kind) {
            return Arrays.stream(values()).filter(each -> each.kind().equals(kind)).findFirst();
        }
    }

    @Override
    public String kind() {
        return scope.kind();
    }

    @Override
    public String value() {
        return "";
    }

    /// The name as suspensions are compared: only the local part of an address has a case.
    public static String normal(SuspensionScope scope, String given) {
        String name = Controls.onOneLine(given).strip();
        return scope == SuspensionScope.SENDER
                ? senders(name).map(AddressPattern::toString).orElse(name)
                : name.toLowerCase(Locale.ROOT);
    }

    /// The pattern for the name of a sender: an address, a domain or `<>`. Empty for other text.
    public static Optional<AddressPattern> senders(String name) {
        return AddressPattern.parse(name).or(() -> AddressPattern.ofDomain(name));
    }

    public boolean isOf(SuspensionScope otherScope, String otherName) {
        return scope == otherScope && name.equals(normal(otherScope, otherName));
    }

    /// True when the sender or the recipient's domain is enough to tell that the order concerns a
    /// recipient. A next hop, a provider and a transport are known to the queue manager
    /// only.
    public boolean concerns(Optional<Address> sender, Address recipient) {
        return switch (scope) {
            case DESTINATION -> AddressPattern.ofDomain(name).filter(each -> each.matches(recipient)).isPresent();
            case SENDER -> senders(name).filter(each -> sender.map(each::matches).orElse(each.isNull())).isPresent();
            case TRANSPORT, PROVIDER -> false;
            case EVERYTHING -> true;
        };
    }

    public boolean isEndless() {
        return untilMillis == Long.MAX_VALUE;
    }

    /// The order in words: what is suspended, by whom, until when, and why.
    public String text() {
        String subject = scope == SuspensionScope.EVERYTHING
                ? "all deliveries are frozen"
                : scope.word() + " " + name + " is suspended";
        return subject + " by " + author + " "
                + (isEndless() ? "until further notice" : "until " + Instant.ofEpochMilli(untilMillis)) + ": " + why;
    }

    /// The command that ends it.
    public String endCommand() {
        return scope == SuspensionScope.EVERYTHING ? "mta thaw" : "mta resume " + scope.word() + " " + name;
    }

    /// The outcome of a recipient that waits for the end.
    public Reply reply() {
        return Reply.of(450, "4.3.2", text());
    }
}
