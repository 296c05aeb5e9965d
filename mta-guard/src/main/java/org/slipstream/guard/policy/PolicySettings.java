package org.slipstream.guard.policy;

import org.slipstream.core.Network;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;
import org.slipstream.guard.rspamd.RspamdSettings;
import org.slipstream.guard.sender.Quarantine;
import org.slipstream.guard.sender.SenderTreatment;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The section `[policy]`, besides the limits of a session; see `guard.policy`.
///
/// @param strictTurns clients wait for the replies to EHLO and DATA
/// @param exempt besides the relay networks: clients that only the header checks concern
/// @param clientPrefixV4 clients of one such network count as one
/// @param connectionsPerMinute 0: no limit, as for the other rates
@SettingsSection("policy")
public record PolicySettings(
        @Setting(value = "0s", max = "30s",
                doc = "Pause before the greeting. A client that sends something in this time is refused with"
                        + " 554, with `0s` if it has already sent something. Some seconds stop many spam"
                        + " programs, and delay every client.") Duration greetingDelay,
        @Setting(value = "true", expert = true,
                doc = "Refuse clients that do not wait for the reply to EHLO or DATA (RFC 2920 section"
                        + " 3.1).") boolean strictTurns,
        @Setting(value = "",
                doc = "Clients that rates, block lists, sender domains and greylisting do not concern, as those"
                        + " of `relay.networks`: a backup MX, a known forwarder. They still may not"
                        + " relay.") List<Network> exempt,
        @Setting(value = "32", min = "8", max = "32", expert = true,
                doc = "IPv4 clients that have this number of bits in common count as one.") int clientPrefixV4,
        @Setting(value = "64", min = "16", max = "128", expert = true,
                doc = "IPv6 clients that have this number of bits in common count as one.") int clientPrefixV6,
        @Setting(value = "120",
                doc = "Per client network. Further connections are refused with 421. 0: no limit, here and"
                        + " below.") int connectionsPerMinute,
        @Setting(value = "3000",
                doc = "Per client network. Further messages are deferred with 450.") int messagesPerHour,
        @Setting(value = "10000",
                doc = "Per client network, known here or not. Further recipients are deferred with"
                        + " 450.") int recipientsPerHour,
        @Setting(value = "1000",
                doc = "Per user who has logged in, from any network.") int userMessagesPerHour,
        @Setting(value = "5000",
                doc = "Per user who has logged in, from any network.") int userRecipientsPerHour,
        @Setting(value = "20000", min = "100", max = "10000000", expert = true,
                doc = "Networks and users whose rates are kept. The one that was unused longest is forgotten"
                        + " first.") int ratesRemembered,
        @Setting(value = "",
                doc = "DNS lists of clients whose mail is refused with 554, or with ` tag` after the name only"
                        + " tagged. A list that does not answer in time is ignored.") List<BlockList> blockLists,
        @Setting(value = "false",
                doc = "Refuse senders whose domain DNS does not know, or that accepts no mail (RFC 7505):"
                        + " nothing could be returned to them. No sender is refused because DNS is slow or"
                        + " broken.") boolean senderDomain,
        @Setting(value = "3s", min = "10ms", max = "60s", expert = true,
                doc = "How long a client waits for one answer of DNS before the query is"
                        + " abandoned.") Duration dnsTimeout,
        Greylisting greylisting, RspamdSettings rspamd,
        @Setting(value = "off",
                doc = "Whether senders from the Internet are judged by SPF, DKIM and DMARC. `note`: the verdicts are"
                        + " written into the field Authentication-Results. `apply`: also, mail that fails DMARC is"
                        + " refused with 550 5.7.26 or marked, as the owner of the domain"
                        + " asks.") SenderTreatment senderAuthentication,
        @Setting(value = "mark",
                doc = "The treatment of mail that fails DMARC when the owner of the domain asks for quarantine, with"
                        + " `sender-authentication = \"apply\"`. `mark`: it gets `X-Spam: Yes`, and goes to the folder"
                        + " for spam (`local.junk-folder`). `hold`: it is on hold until an operator releases"
                        + " it.") Quarantine quarantine,
        @Setting(value = "any",
                doc = "`unambiguous`: refuse a header with two From, To, Subject and the like (RFC 5322 section"
                        + " 3.6), in which two readers see two messages. `with-from`: also one without"
                        + " From.") HeaderStrictness headerForm,
        @Setting(value = "",
                doc = "File of header checks, relative to the home folder: lines `action field /pattern/ text`;"
                        + " docs/security.md.") Optional<Path> headerChecks) {
    public PolicySettings {
        exempt = List.copyOf(exempt);
        blockLists = List.copyOf(blockLists);
    }
}
