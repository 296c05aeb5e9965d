package org.slipstream.local.address;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.util.List;

/// The contents of address tables in files, as a small installation of Postfix has them
/// (docs/addresses.md).
///
/// @param virtual patterns of `local.virtual-maps`; its texts are aliases
public record AddressTables(List<LookupTable> virtual, Rewriting rewriting, CopyRules copies) {
    /// No tables.
    public static final AddressTables NONE = new AddressTables(List.of(),
            new Rewriting(List.of(), List.of(), List.of(), List.of(), List.of()),
            new CopyRules(List.of(), List.of(), List.of()));

    public AddressTables {
        virtual = List.copyOf(virtual);
    }

    /// The tables of addresses that are replaced in mail of own clients.
    ///
    /// @param sender before `all`, for senders
    /// @param recipient before `all`, for recipients
    /// @param all for both
    /// @param masqueraded domains whose subdomains are cut off; `!domain` keeps its own
    /// @param exceptions local parts that keep their domain, in lower case
    public record Rewriting(List<LookupTable> sender, List<LookupTable> recipient, List<LookupTable> all,
            List<String> masqueraded, List<String> exceptions) {}

    /// The tables of addresses that get a copy of a message.
    ///
    /// @param always addresses, or local parts in the domain of local programs
    public record CopyRules(List<String> always, List<LookupTable> sender, List<LookupTable> recipient) {}

    /// The section `[rewrite]`.
    @SettingsSection("rewrite")
    public record RewriteSettings(
            @Setting(value = "", form = "map",
                    doc = "Tables of addresses that replace senders and recipients (Postfix:"
                            + " `canonical_maps`).") List<MapFile> maps,
            @Setting(value = "", form = "map",
                    doc = "The same for senders only, read before `maps` (`sender_canonical_maps`,"
                            + " `smtp_generic_maps`).") List<MapFile> senderMaps,
            @Setting(value = "", form = "map",
                    doc = "The same for recipients only, read before `maps`"
                            + " (`recipient_canonical_maps`).") List<MapFile> recipientMaps,
            @Setting(value = "", form = "masquerade",
                    doc = "Domains that replace their subdomains in senders and in header fields. `!domain` keeps"
                            + " that one.") List<String> masqueradeDomains,
            @Setting(value = "", form = "local-part",
                    doc = "Local parts that keep their domain, such as `root`.") List<String> masqueradeExceptions) {}

    /// The section `[copy]`.
    @SettingsSection("copy")
    public record CopySettings(
            @Setting(value = "", form = "person",
                    doc = "Addresses that get a copy of each message (`always_bcc`).") List<String> always,
            @Setting(value = "", form = "map",
                    doc = "Tables from a sender to the addresses that get a copy"
                            + " (`sender_bcc_maps`).") List<MapFile> senderMaps,
            @Setting(value = "", form = "map",
                    doc = "Tables from a recipient to the addresses that get a copy"
                            + " (`recipient_bcc_maps`).") List<MapFile> recipientMaps) {}
}
