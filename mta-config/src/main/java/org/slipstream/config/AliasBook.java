package org.slipstream.config;

import org.slipstream.core.Address;
import org.slipstream.local.address.AliasExpansion;
import org.slipstream.local.address.LocalSettings;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.Form;
import org.slipstream.settings.Forms;
import org.slipstream.settings.SourcePlace;
import org.slipstream.settings.Value;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/// The reader of `[aliases]`. It guarantees that mail for each alias arrives: a target in a local
/// domain exists, and no chain of aliases leads back to its start. An alias that names itself keeps
/// a copy in the mailbox of that name.
///
/// A name without domain applies to every local domain; the same name with a domain takes
/// precedence there; `@domain` means all other names of the domain. Local parts of local addresses
/// compare without case, as in the server (RFC 5321 section 2.4 leaves that to the receiving host).
///
/// The target `@other` of `@domain` keeps the name of the recipient. The other domain is no such
/// domain itself: one step of lookups is enough for each recipient.
public final class AliasBook {
    /// A target without domain means the domain of the alias.
    static final Form<List<String>> TARGETS = Forms.listOf(Forms.text("an address or a local part",
            text -> text.contains("@") ? address(text) : MailForms.localPart(text)));

    /// Accepted without being named anywhere (RFC 5321 section 4.5.1, RFC 2142 section 2).
    private static final Set<String> ALWAYS = Set.of("postmaster", "abuse", "root");

    /// Aliases that follow each other. Postfix has the same bound (`virtual_alias_recursion_limit`).
    static final int MOST_IN_A_CHAIN = 1_000;
    private static final int MOST_NAMED = 10;

    private final LocalSettings local;
    private final Complaints complaints;
    private final Set<String> mailboxes;
    private final Map<String, Line> lines = new LinkedHashMap<>();
    /// Names of aliases in which nothing is wrong so far.
    private final Set<String> sound = new HashSet<>();

    /// One line of the table, for one address.
    ///
    /// @param name as written
    private record Line(String name, SourcePlace place, List<Address> targets) {}

    private AliasBook(LocalSettings local, Complaints complaints) {
        this.local = local;
        this.complaints = complaints;
        this.mailboxes = local.mailboxes().stream().map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }

    /// @return by [Address#key] in lower case
    static Map<String, List<Address>> read(Map<String, Value> aliases, LocalSettings local, Complaints complaints) {
        AliasBook book = new AliasBook(local, complaints);
        aliases.forEach((name, value) -> {
            if (!name.contains("@")) {
                book.enterInEveryDomain(name, value);
            }
        });
        aliases.forEach((name, value) -> {
            if (name.contains("@")) {
                book.enterFull(name, value);
            }
        });
        Set<String> used = book.lines.values().stream().map(Line::name).collect(Collectors.toSet());
        aliases.forEach((name, value) -> book.checkCatch(name, value, used));
        book.lines.forEach(book::checkTargets);
        book.checkLoops();
        return book.lines.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, line -> line.getValue().targets()));
    }

    private static Optional<String> address(String text) {
        return Address.parse(text.startsWith("@") ? AliasExpansion.SAME_NAME + text : text).map(Address::toString);
    }

    private void enterInEveryDomain(String name, Value value) {
        Optional<String> localPart = MailForms.localPart(name);
        if (localPart.isEmpty()) {
            refuseName(name, value);
            return;
        }
        Optional<List<String>> targets = targets(name, value);
        for (String domain : local.domains()) {
            targets.ifPresent(t -> enter(new Address(localPart.get(), domain), name, value.place(), t));
        }
    }

    private void enterFull(String name, Value value) {
        if (name.startsWith("@") && local.domains().contains(name.substring(1).toLowerCase(Locale.ROOT))) {
            Address any = new Address("*", name.substring(1));
            targets(name, value).ifPresent(t -> lines.put(name.toLowerCase(Locale.ROOT),
                    new Line(name, value.place(), addresses(t, any))));
            return;
        }
        Optional<Address> address = Address.parse(name);
        if (address.isEmpty()) {
            refuseName(name, value);
        } else if (!local.domains().contains(address.get().domainKey())) {
            complaints.add(value.place(), key(name),
                    key(name) + ": mail for " + address.get().domainKey() + " does not end here",
                    Optional.of("add the domain to local.domains"));
        } else {
            targets(name, value).ifPresent(t -> enter(address.get(), name, value.place(), t));
        }
    }

    private void refuseName(String name, Value value) {
        complaints.add(value.place(), key(name), key(name) + ": \"" + name + "\" is not an address or a local part");
    }

    private Optional<List<String>> targets(String name, Value value) {
        Optional<List<String>> targets = TARGETS.read(value, key(name), complaints);
        if (targets.filter(List::isEmpty).isPresent()) {
            complaints.add(value.place(), key(name), key(name) + " has no target");
            return Optional.empty();
        }
        if (!name.startsWith("@")
                && targets.orElse(List.of()).stream()
                        .anyMatch(each -> each.startsWith(AliasExpansion.SAME_NAME + "@"))) {
            complaints.add(value.place(), key(name), key(name)
                    + ": a whole domain is the target of a whole domain only", Optional.of("name an address"));
            return Optional.empty();
        }
        if (targets.filter(each -> each.size() > AliasExpansion.MOST_TARGETS).isPresent()) {
            complaints.add(value.place(), key(name),
                    key(name) + " has more than " + AliasExpansion.MOST_TARGETS + " targets",
                    Optional.of("a list server or several aliases"));
            return Optional.empty();
        }
        if (targets.isPresent()) {
            sound.add(name);
        }
        return targets;
    }

    private void enter(Address alias, String name, SourcePlace place, List<String> targets) {
        lines.put(alias.folded().key(), new Line(name, place, addresses(targets, alias)));
    }

    private static List<Address> addresses(List<String> targets, Address alias) {
        return targets.stream().map(t -> Address.parse(t).orElseGet(() -> new Address(t, alias.domain()))).toList();
    }

    /// An alias that is well formed and never used is a mistake.
    private void checkCatch(String name, Value value, Set<String> used) {
        if (name.equals("*") || name.startsWith("*@")) {
            complaints.add(value.place(), key(name), key(name) + " catches nothing: an alias is one name",
                    Optional.of("for every name write \"*\" into local.mailboxes"));
        } else if (sound.contains(name) && !used.contains(name)) {
            complaints.add(value.place(), key(name), key(name) + " catches nothing: " + (local.domains().isEmpty()
                    ? "there is no local domain"
                    : "another alias of this name is stronger"), Optional.of("take it out"));
        }
    }

    private void checkTargets(String alias, Line line) {
        for (Address target : line.targets()) {
            if (AliasExpansion.keepsName(target)) {
                checkDomain(target, line);
                continue;
            }
            boolean leadsOn = next(target).filter(next -> !next.equals(alias)).isPresent();
            if (isLocal(target) && !leadsOn && !hasMailbox(target)) {
                complaints.add(line.place(), key(line.name()), key(line.name()) + ": " + target
                        + " is in a local domain, but neither a mailbox nor an alias",
                        Optional.of("add \"" + target.withoutExtension(local.subaddressDelimiter()).localPart()
                                + "\" to local.mailboxes"));
            }
        }
    }

    private void checkDomain(Address target, Line line) {
        Line there = lines.get("@" + target.domainKey());
        if (there != null && there.targets().stream().anyMatch(AliasExpansion::keepsName)) {
            complaints.add(line.place(), key(line.name()), key(line.name()) + ": " + target.domain()
                    + " is itself another name of a domain", Optional.of("name that domain"));
        }
    }

    private boolean isLocal(Address address) {
        return local.domains().contains(address.domainKey());
    }

    private boolean hasMailbox(Address address) {
        Address base = address.withoutExtension(local.subaddressDelimiter());
        return isNamed(address.folded()) || isNamed(base.folded()) || ALWAYS.contains(base.folded().localPart())
                || base.folded().equals(local.postmaster().folded()) || local.mailboxes().contains("*");
    }

    private boolean isNamed(Address folded) {
        return mailboxes.contains(folded.key().toLowerCase(Locale.ROOT))
                || mailboxes.contains(folded.localPart().toLowerCase(Locale.ROOT));
    }

    /// The alias that applies to an address, if any.
    private Optional<String> next(Address target) {
        Address address = target.folded();
        if (lines.containsKey(address.key())) {
            return Optional.of(address.key());
        }
        return isNamed(address)
                ? Optional.empty()
                : Optional.of(address.withoutExtension(local.subaddressDelimiter()).key()).filter(lines::containsKey)
                        .or(() -> Optional.of("@" + address.domainKey())
                                .filter(rest -> lines.containsKey(rest) && !hasMailbox(address)));
    }

    private void checkLoops() {
        Map<String, Integer> lengths = new HashMap<>();
        for (String alias : lines.keySet()) {
            follow(alias, lengths);
        }
    }

    /// One alias of the chain that is followed.
    private static final class Followed {
        private final String alias;
        private final Iterator<String> next;
        private int longest;

        Followed(String alias, Iterator<String> next) {
            this.alias = alias;
            this.next = next;
        }

        void sees(int length) {
            longest = Math.max(longest, length);
        }
    }

    /// Depth first, without recursion, because a file decides the depth.
    ///
    /// @param lengths the aliases in the longest chain from each alias that was visited
    private void follow(String start, Map<String, Integer> lengths) {
        SequencedMap<String, Followed> way = new LinkedHashMap<>();
        Optional<String> enter = Optional.of(start).filter(alias -> !lengths.containsKey(alias));
        while (enter.isPresent() || !way.isEmpty()) {
            enter.ifPresent(alias -> way.put(alias, new Followed(alias, leadsTo(alias))));
            enter = Optional.empty();
            Followed last = way.lastEntry().getValue();
            if (!last.next.hasNext()) {
                way.pollLastEntry();
                int length = last.longest + 1;
                lengths.put(last.alias, length);
                Optional.ofNullable(way.lastEntry()).ifPresent(before -> before.getValue().sees(length));
                tooLong(last.alias, length);
                continue;
            }
            String next = last.next.next();
            if (way.containsKey(next)) {
                loop(way.sequencedKeySet().stream().dropWhile(alias -> !alias.equals(next)).toList());
            } else if (lengths.containsKey(next)) {
                last.sees(Objects.requireNonNull(lengths.get(next)));
            } else {
                enter = Optional.of(next);
            }
        }
    }

    /// An alias that names itself keeps a copy in the mailbox of that name.
    private Iterator<String> leadsTo(String alias) {
        return line(alias).targets().stream().flatMap(target -> next(target).stream())
                .filter(next -> !next.equals(alias)).iterator();
    }

    private void tooLong(String alias, int length) {
        if (length == MOST_IN_A_CHAIN + 1) {
            Line first = line(alias);
            complaints.add(first.place(), key(first.name()), key(first.name()) + " begins a chain of more than "
                    + MOST_IN_A_CHAIN + " aliases");
        }
    }

    private void loop(List<String> way) {
        Line first = line(way.getFirst());
        String circle = way.stream().limit(MOST_NAMED).map(alias -> line(alias).name())
                .collect(Collectors.joining(" → "));
        complaints.add(first.place(), key(first.name()), "alias loop: " + circle
                + (way.size() > MOST_NAMED ? " → …" : "") + " → " + first.name());
    }

    private Line line(String alias) {
        return Objects.requireNonNull(lines.get(alias));
    }

    private static String key(String name) {
        return ServerSchema.ALIASES + ".\"" + name + "\"";
    }
}
