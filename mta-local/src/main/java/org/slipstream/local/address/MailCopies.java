package org.slipstream.local.address;

import org.slipstream.core.Address;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.local.address.AddressTables.CopyRules;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Adds the recipients of copies to a message (Postfix: `always_bcc`, `sender_bcc_maps`,
/// `recipient_bcc_maps`). A copy that fails is not reported. Reports that this server writes are not
/// copied.
public final class MailCopies {
    private final CopyRules rules;
    private final Optional<String> delimiter;
    private final String ownDomain;

    /// @param ownDomain of addresses without domain
    MailCopies(CopyRules rules, Optional<String> delimiter, String ownDomain) {
        this.rules = rules;
        this.delimiter = delimiter;
        this.ownDomain = ownDomain;
    }

    public Envelope added(Envelope given) {
        if (rules.always().isEmpty() && rules.sender().isEmpty() && rules.recipient().isEmpty()) {
            return given;
        }
        List<Recipient> recipients = new ArrayList<>(given.recipients());
        copies(given).distinct().forEach(copy -> recipients.add(new Recipient(recipients.size() + 1, copy,
                Optional.empty(), Set.of(DsnNotify.NEVER))));
        return given.withRecipients(recipients);
    }

    /// Those who get a copy of each message.
    Stream<Address> always() {
        return addresses(rules.always().stream());
    }

    private Stream<Address> copies(Envelope given) {
        return Stream.of(always(), given.sender().stream().flatMap(this::from),
                given.recipients().stream().map(Recipient::address).flatMap(this::to)).flatMap(each -> each);
    }

    /// Those of the tables of senders.
    Stream<Address> from(Address sender) {
        return addresses(found(sender, rules.sender()));
    }

    /// Those of the tables of recipients.
    Stream<Address> to(Address recipient) {
        return addresses(found(recipient, rules.recipient()));
    }

    private Stream<Address> addresses(Stream<String> texts) {
        return texts.flatMap(text -> Address.parse(text).or(() -> Address.parse(text + "@" + ownDomain)).stream());
    }

    /// The addresses of the first line that applies.
    private Stream<String> found(Address address, List<LookupTable> tables) {
        Address folded = address.folded();
        List<String> keys = List.of(folded.toString(), folded.withoutExtension(delimiter).toString(),
                "@" + folded.domainKey());
        return tables.stream()
                .flatMap(table -> keys.stream().limit(table.hasPatterns() ? 1 : keys.size()).map(table::find))
                .flatMap(Optional::stream).findFirst().stream()
                .flatMap(result -> Stream.of(result.split(","))).map(String::strip);
    }
}
