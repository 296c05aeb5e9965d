package org.slipstream.local.address;

import org.slipstream.core.Address;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Decides what an address means on this server. For an address of a local domain the first
/// matching line decides:
///
/// | | Example |
/// |---|---|
/// | a sender of forwarded mail ([Srs]) | `SRS0=…=far.example=ann` → `ann@far.example`; if forged, unknown |
/// | an alias of this name | `sales` → its targets, expanded to the end |
/// | a mailbox of this name | `alice`, or `alice@second.example` for one domain alone |
/// | the same without its tag | `alice+lists` |
/// | `postmaster` | the address in the settings (RFC 5321 section 4.5.1: it always exists) |
/// | a pattern of `local.virtual-maps` | `/^sales-.*@/` → its targets |
/// | the alias `@domain` | its targets, for every name without `%`, `!` or `@` |
/// | the mailbox `*` | every name without `%`, `!` or `@` |
/// | `abuse`, `root` | the postmaster (RFC 2142 section 2; programs of the machine write to root) |
/// | nothing | unknown |
///
/// **Case.** Local parts of local mailboxes are compared without case: RFC 5321 section 2.4 leaves
/// that to the host of the mailbox, and this is the host. The envelope keeps the sender's spelling
/// of mailbox and tag; [#mailbox] returns the folded form.
///
/// **Hidden source routes.** `user%far.example@here`, `far.example!user@here` and
/// `"user@far.example"@here` are ordinary local parts here, never a request to relay. A mailbox may
/// have such a name when the settings list it; `*` does not include such names, so that tests for
/// open relays get a clear refusal.
///
/// **This host's own name** need not be a local domain. It stands for the first one, unless it has
/// a route: cron and other programs write to `root@` and the name of the machine, and
/// `RCPT TO:<Postmaster>` means this host.
///
/// **Address literals** of this machine, `user@[192.0.2.1]`, stand for the first local domain (RFC
/// 5321 section 4.1.3).
///
/// Immutable; may be used by any thread.
public final class AddressBook {
    private static final String EVERYBODY = "*";
    private static final String POSTMASTER = "postmaster";
    private static final Set<String> ROLES = Set.of("abuse", "root");
    private static final String ROUTING = "%!@";

    private final List<String> domains;
    private final Set<String> mailboxes = new HashSet<>();
    private final Map<String, List<Address>> aliases = new HashMap<>();
    private final Address postmaster;
    private final Optional<String> delimiter;
    private final Predicate<InetAddress> isThisMachine;
    private final Optional<String> hostname;
    private final boolean isRouted;
    private final List<LookupTable> patterns;
    private final AddressRewriting rewriting;
    private final MailCopies copies;
    private final Optional<Srs> srs;

    /// The result of [#decide].
    public sealed interface Decision {
        /// @param mailbox folded: lower case, without tag
        record Mailbox(Address mailbox) implements Decision {}

        /// @param targets addresses that are no aliases, each once, at least one
        record Alias(List<Address> targets) implements Decision {}

        /// An address of another domain.
        record Remote() implements Decision {}

        /// An unknown address in a local domain.
        record Unknown() implements Decision {}
    }

    AddressBook(LocalSettings local, Map<String, List<Address>> aliases, Predicate<InetAddress> isThisMachine,
            Optional<String> hostname) {
        this(local, aliases, isThisMachine, hostname, AddressTables.NONE, "localhost", Set.of(), Optional.empty());
    }

    /// @param aliases by name, in lower case or not
    /// @param isThisMachine true for addresses under which this server is reached
    /// @param hostname in lower case; empty when none is known
    /// @param ownDomain of senders without a domain
    /// @param routed domains with a route of their own
    /// @param srs empty: forwarded mail keeps its sender
    public AddressBook(LocalSettings local, Map<String, List<Address>> aliases, Predicate<InetAddress> isThisMachine,
            Optional<String> hostname, AddressTables tables, String ownDomain, Set<String> routed, Optional<Srs> srs) {
        this.srs = srs;
        this.patterns = tables.virtual();
        this.rewriting = new AddressRewriting(tables.rewriting(), local.domains(), local.subaddressDelimiter(),
                ownDomain);
        this.copies = new MailCopies(tables.copies(), local.subaddressDelimiter(), ownDomain);
        this.domains = local.domains();
        this.postmaster = local.postmaster();
        this.delimiter = local.subaddressDelimiter();
        this.isThisMachine = isThisMachine;
        this.hostname = hostname;
        this.isRouted = hostname.filter(routed::contains).isPresent();
        local.mailboxes().forEach(name -> mailboxes.add(name.toLowerCase(Locale.ROOT)));
        mailboxes.add(postmaster.folded().key());
        aliases.forEach((name, targets) -> this.aliases.put(name.toLowerCase(Locale.ROOT), List.copyOf(targets)));
    }

    public AddressRewriting rewriting() {
        return rewriting;
    }

    /// The address that a sender of an own client has after the tables of `[rewrite]`.
    public Address asSender(Address address) {
        return rewriting.sender(address);
    }

    /// The same for a recipient.
    public Address asRecipient(Address address) {
        return rewriting.recipient(address);
    }

    /// Those who get a copy of a message that has this address as its sender.
    public List<Address> copiesFrom(Address sender) {
        return copies.from(sender).toList();
    }

    /// Those who get a copy of a message to this address.
    public List<Address> copiesTo(Address recipient) {
        return copies.to(recipient).toList();
    }

    public MailCopies copies() {
        return copies;
    }

    /// The sender with which mail of this sender is forwarded to another domain; empty when it keeps the
    /// sender: without [Srs], and for senders of local domains.
    Optional<Address> forwardedSender(Address sender) {
        return srs.filter(_ -> line(sender) instanceof Line.Elsewhere).flatMap(each -> each.forwarded(sender));
    }

    public Decision decide(Address asked) {
        return switch (line(asked)) {
            case Line.Elsewhere _ -> new Decision.Remote();
            case Line.UnknownMailbox _ -> new Decision.Unknown();
            case Line.MailboxLine(Address mailbox) -> new Decision.Mailbox(mailbox);
            case Line.Alias _ -> new Decision.Alias(expand(asked));
        };
    }

    /// True for an existing address of a local domain.
    public boolean knows(Address asked) {
        return decide(asked) instanceof Decision.Mailbox || decide(asked) instanceof Decision.Alias;
    }

    /// Finds faults of the addresses that a user may send from: a report about a message from an
    /// unknown local address cannot be delivered, and is not reported again (RFC 5321 section 6.1).
    /// One sentence for each address.
    ///
    /// @param addresses patterns `@domain` and `*` are skipped
    public List<String> lostReports(List<String> addresses) {
        return addresses.stream().map(Address::parse).flatMap(Optional::stream)
                .filter(address -> decide(address) instanceof Decision.Unknown)
                .map(address -> "there is no mailbox " + address + ", so reports about messages from this address are"
                        + " lost; add \"" + address.localPart() + "\" to local.mailboxes, or an alias of this name")
                .toList();
    }

    /// The local addresses of `copy.always` that do not exist. A copy that fails is not reported.
    public List<Address> lostCopies() {
        return copies.always().filter(address -> decide(address) instanceof Decision.Unknown).toList();
    }

    /// The mailbox of an address, folded; empty for aliases, other domains and unknown addresses.
    /// The postmaster's address always has one, for mail that no other mailbox can take.
    public Optional<Address> mailbox(Address address) {
        Line line = line(address);
        if (line instanceof Line.MailboxLine(Address mailbox)) {
            return Optional.of(mailbox);
        }
        if (line instanceof Line.Alias(List<Address> targets) && keepsACopy(address, targets)) {
            return local(address);
        }
        return local(address).filter(postmaster.folded()::equals);
    }

    /// The same address, with a local domain in place of a literal or a name of this machine.
    public Address canonical(Address address) {
        return isOwnLiteral(address) || isOwnName(address)
                ? new Address(address.localPart(), domains.getFirst())
                : address;
    }

    /// The address without its tag.
    public Address untagged(Address address) {
        return address.withoutExtension(delimiter);
    }

    /// A form that is equal for all spellings of one recipient; local parts of other domains keep
    /// their case.
    public String key(Address address) {
        return local(address).map(Address::key).orElseGet(address::key);
    }

    /// One line of the table above, without following aliases.
    private sealed interface Line {
        record Elsewhere() implements Line {}

        record UnknownMailbox() implements Line {}

        record MailboxLine(Address mailbox) implements Line {}

        record Alias(List<Address> targets) implements Line {}
    }

    private Line line(Address address) {
        Optional<Address> local = local(address);
        if (local.isEmpty()) {
            return isPostmasterOfThisHost(address) ? new Line.Alias(List.of(postmaster)) : new Line.Elsewhere();
        }
        // Not folded, because the original address keeps its case.
        if (srs.filter(each -> each.claims(canonical(address))).isPresent()) {
            return srs.get().original(address).<Line>map(original -> new Line.Alias(List.of(original)))
                    .orElseGet(Line.UnknownMailbox::new);
        }
        Address untagged = local.get().withoutExtension(delimiter);
        return named(local.get()).or(() -> named(untagged)).or(() -> postmaster(untagged))
                .or(() -> pattern(local.get())).or(() -> restOfDomain(untagged, address)).or(() -> catchAll(untagged))
                .or(() -> role(untagged))
                .orElseGet(Line.UnknownMailbox::new);
    }

    // `RCPT TO:<Postmaster>` has no domain and means this host, whose name need not be a local
    // domain (RFC 5321 section 4.5.1).
    private boolean isPostmasterOfThisHost(Address address) {
        return hostname.filter(address.domainKey()::equals).isPresent()
                && address.folded().localPart().equals(POSTMASTER);
    }

    private Optional<Line> named(Address address) {
        List<Address> targets = aliases.get(address.key());
        if (targets != null) {
            return Optional.of(new Line.Alias(targets));
        }
        return mailboxes.contains(address.key()) || isMailboxEverywhere(address.localPart())
                ? Optional.of(new Line.MailboxLine(address))
                : Optional.empty();
    }

    // A setting with an @ is a full address, so a local part with one does not match it.
    private boolean isMailboxEverywhere(String localPart) {
        return !localPart.equals(EVERYBODY) && localPart.indexOf('@') < 0 && mailboxes.contains(localPart);
    }

    private Optional<Line> postmaster(Address address) {
        return address.localPart().equals(POSTMASTER)
                ? Optional.of(new Line.Alias(List.of(postmaster)))
                : Optional.empty();
    }

    private Optional<Line> role(Address address) {
        return ROLES.contains(address.localPart())
                ? Optional.of(new Line.Alias(List.of(postmaster)))
                : Optional.empty();
    }

    /// A pattern of `local.virtual-maps`. A target without domain means the domain of the address.
    private Optional<Line> pattern(Address address) {
        return patterns.stream().flatMap(table -> table.find(address.toString()).stream()).findFirst()
                .map(result -> Stream.of(result.split(",")).map(String::strip)
                        .flatMap(text -> Address.parse(text)
                                .or(() -> Address.parse(text + "@" + address.domain())).stream())
                        .toList())
                .filter(targets -> !targets.isEmpty()).map(Line.Alias::new);
    }

    /// The line `@domain`. With another domain as its target, an address exists when it exists there,
    /// so that mail for unknown names is refused and not returned.
    ///
    /// @param asked with its extension, which the address in the other domain has too
    private Optional<Line> restOfDomain(Address address, Address asked) {
        List<Address> targets = aliases.get("@" + address.domainKey());
        if (targets == null || routes(address)) {
            return Optional.empty();
        }
        List<Address> reached = new ArrayList<>();
        for (Address target : targets) {
            Address there = AliasExpansion.keepsName(target) ? new Address(asked.localPart(), target.domain()) : target;
            // Another name of the same domain would lead here again.
            if (AliasExpansion.keepsName(target) && (canonical(there).domainKey().equals(address.domainKey())
                    || line(there) instanceof Line.UnknownMailbox)) {
                return Optional.empty();
            }
            reached.add(there);
        }
        return Optional.of(new Line.Alias(reached));
    }

    /// True for a local part that other servers may read as a source route.
    public static boolean routes(Address address) {
        return address.localPart().chars().anyMatch(c -> ROUTING.indexOf(c) >= 0);
    }

    private Optional<Line> catchAll(Address address) {
        return mailboxes.contains(EVERYBODY) && !routes(address)
                ? Optional.of(new Line.MailboxLine(address))
                : Optional.empty();
    }

    /// Expands depth first, each target once. The settings are checked for loops; a loop ends here
    /// nevertheless, and the postmaster gets the mail when no target is left.
    private List<Address> expand(Address alias) {
        Map<String, Address> found = new LinkedHashMap<>();
        Set<String> expanded = new HashSet<>();
        Deque<Address> open = new ArrayDeque<>(List.of(alias));
        while (!open.isEmpty()) {
            Address next = canonical(open.pop());
            if (!(line(next) instanceof Line.Alias(List<Address> targets))) {
                found.putIfAbsent(key(next), next);
            } else if (expanded.add(key(next))) {
                if (keepsACopy(next, targets)) {
                    found.putIfAbsent(key(next), next);
                }
                targets.reversed().forEach(open::push);
            }
        }
        return found.isEmpty() ? List.of(postmaster) : List.copyOf(found.values());
    }

    /// `alice = ["alice", "bob"]`: an alias that names itself means the mailbox of that name.
    private boolean keepsACopy(Address alias, List<Address> targets) {
        return targets.stream().anyMatch(target -> key(target).equals(key(alias)));
    }

    /// The folded address with a canonical domain, when its domain is local.
    private Optional<Address> local(Address address) {
        Address canonical = canonical(address);
        return domains.contains(canonical.domainKey()) ? Optional.of(canonical.folded()) : Optional.empty();
    }

    private boolean isOwnName(Address address) {
        return !isRouted && !domains.isEmpty() && !domains.contains(address.domainKey())
                && hostname.filter(address.domainKey()::equals).isPresent();
    }

    private boolean isOwnLiteral(Address address) {
        return !domains.isEmpty() && !domains.contains(address.domainKey())
                && literal(address.domain()).filter(isThisMachine).isPresent();
    }

    /// `[192.0.2.1]` or `[IPv6:2001:db8::1]`.
    private static Optional<InetAddress> literal(String domain) {
        if (!domain.startsWith("[") || !domain.endsWith("]")) {
            return Optional.empty();
        }
        String inside = domain.substring(1, domain.length() - 1);
        try {
            return Optional.of(InetAddress.ofLiteral(
                    inside.regionMatches(true, 0, "IPv6:", 0, 5) ? inside.substring(5) : inside));
        } catch (IllegalArgumentException otherKind) {
            return Optional.empty();
        }
    }
}
