package org.slipstream.local.address;

import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.local.address.AddressTables.Rewriting;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// Replaces addresses in the mail of own clients, as canonical(5) and masquerading of Postfix do.
/// Mail of others stays as it is.
///
/// An address is looked up with its extension, without it, as a local part alone (for local
/// domains), and as `@domain`. The result is an address, a local part, or `@domain`, which keeps the
/// local part. An extension that the table does not name stays. A result that is no address changes
/// nothing.
///
/// Immutable; may be used by any thread.
public final class AddressRewriting {
    private final Rewriting rules;
    private final List<String> localDomains;
    private final Optional<String> delimiter;
    private final String ownDomain;

    /// @param ownDomain of results without domain
    AddressRewriting(Rewriting rules, List<String> localDomains, Optional<String> delimiter, String ownDomain) {
        this.rules = rules;
        this.localDomains = localDomains;
        this.delimiter = delimiter;
        this.ownDomain = ownDomain;
    }

    /// True when there is no rule, so that no message changes.
    boolean isIdle() {
        return rules.sender().isEmpty() && rules.recipient().isEmpty() && rules.all().isEmpty()
                && rules.masqueraded().isEmpty();
    }

    /// The envelope with other addresses. A recipient that changes keeps its old address for reports.
    public Envelope envelope(Envelope given) {
        return isIdle()
                ? given
                : given.withSender(given.sender().map(this::sender))
                        .withRecipients(given.recipients().stream().map(this::recipient).toList());
    }

    private Recipient recipient(Recipient given) {
        Address changed = recipient(given.address());
        return changed.equals(given.address())
                ? given
                : new Recipient(given.number(), changed, given.original().or(() -> Optional.of("rfc822;"
                        + given.address())), given.notifyOn());
    }

    /// The address of a recipient of the envelope.
    public Address recipient(Address address) {
        return mapped(mapped(address, rules.recipient()), rules.all());
    }

    /// The address of a sender.
    Address sender(Address address) {
        return masqueraded(mapped(mapped(address, rules.sender()), rules.all()));
    }

    /// The header with other addresses.
    public byte[] header(byte[] fields) {
        return isIdle()
                ? fields
                : HeaderAddresses.replaced(fields, this::sender, address -> masqueraded(recipient(address)));
    }

    private Address mapped(Address address, List<LookupTable> tables) {
        return tables.stream().flatMap(table -> found(address, table).stream()).findFirst().orElse(address);
    }

    private Optional<Address> found(Address address, LookupTable table) {
        Address base = address.withoutExtension(delimiter);
        String extension = address.localPart().substring(base.localPart().length());
        UnaryOperator<Address> extended = each -> new Address(each.localPart() + extension, each.domain());
        if (table.hasPatterns()) {
            return table.find(key(address)).flatMap(result -> meaning(result, address));
        }
        return meaning(table.find(key(address)), address)
                .or(() -> meaning(table.find(key(base)), base).map(extended))
                .or(() -> bare(address, table, address, UnaryOperator.identity()))
                .or(() -> bare(base, table, base, extended))
                .or(() -> meaning(table.find("@" + address.domainKey()), address));
    }

    private Optional<Address> bare(Address key, LookupTable table, Address whole, UnaryOperator<Address> after) {
        return Optional.of(key).filter(each -> localDomains.contains(each.domainKey()))
                .flatMap(each -> meaning(table.find(each.folded().localPart()), whole)).map(after);
    }

    private static String key(Address address) {
        return address.folded().toString();
    }

    private Optional<Address> meaning(Optional<String> result, Address address) {
        return result.flatMap(text -> meaning(text, address));
    }

    private Optional<Address> meaning(String result, Address address) {
        return result.startsWith("@")
                ? Address.parse("x" + result).map(other -> new Address(address.localPart(), other.domain()))
                : Address.parse(result).or(() -> Address.parse(result + "@" + ownDomain));
    }

    private Address masqueraded(Address address) {
        if (rules.masqueraded().isEmpty()
                || rules.exceptions().contains(address.localPart().toLowerCase(Locale.ROOT))) {
            return address;
        }
        Function<String, Stream<String>> match = rule -> masqueraded(address.domainKey(), rule).stream();
        return rules.masqueraded().stream().flatMap(match).findFirst()
                .map(domain -> new Address(address.localPart(), domain)).orElse(address);
    }

    private static Optional<String> masqueraded(String domain, String rule) {
        String base = rule.startsWith("!") ? rule.substring(1) : rule;
        boolean matches = domain.equals(base) || domain.endsWith("." + base);
        return matches ? Optional.of(rule.startsWith("!") ? domain : base) : Optional.empty();
    }
}
