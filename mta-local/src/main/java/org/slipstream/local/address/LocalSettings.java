package org.slipstream.local.address;

import org.slipstream.core.Address;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;
import org.slipstream.settings.Key;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The section `[local]`.
///
/// @param domains lower case
/// @param mailboxes local parts, full addresses (keys), or `*`
/// @param subaddressDelimiter empty when off
/// @param srsDomain lower case
@SettingsSection("local")
public record LocalSettings(
        @Setting(value = "localhost, " + Key.HOSTNAME, form = "domain",
                doc = "Domains whose mail is delivered here. The default is `localhost` and the"
                        + " hostname.") List<String> domains,
        @Setting(value = "user", form = "mailbox",
                doc = "Mailboxes: local parts (in every local domain), full addresses, or `*` for every local"
                        + " part.") List<String> mailboxes,
        @Setting(value = "mail",
                doc = "Directory of the mailboxes: `<maildir>/<domain>/<local-part>/{tmp,new,cur}`. Relative to"
                        + " the home folder.") Path maildir,
        @Setting(key = "postmaster", value = "postmaster", form = "person",
                doc = "Recipient of mail for `postmaster` of every local domain, which is always accepted. A"
                        + " local part means that mailbox in the first local domain.") String postmasterName,
        @Setting(value = "+", form = "delimiter",
                doc = "`user+anything` is delivered to `user`. Empty:"
                        + " off.") Optional<String> subaddressDelimiter,
        @Setting(value = "true",
                doc = "Mail with `X-Spam: Yes`, from the filter or from DMARC, goes to the folder `.Junk` of its"
                        + " mailbox. `false`: to the inbox, for readers who know no folders.") boolean junkFolder,
        @Setting(value = "", form = "own-domain",
                doc = "Mail of other domains that aliases send on leaves with a sender of this domain, as"
                        + " `SRS0=…@example.org`, so that its SPF check passes; bounces find the original sender"
                        + " (docs/addresses.md). One of `local.domains`. Empty: the sender"
                        + " stays.") Optional<String> srsDomain) {
    public LocalSettings {
        domains = domains.stream().distinct().toList();
        mailboxes = List.copyOf(mailboxes);
    }

    public Address postmaster() {
        String domain = domains.isEmpty() ? "localhost" : domains.getFirst();
        return Address.parse(postmasterName).orElseGet(() -> new Address(postmasterName, domain));
    }
}
