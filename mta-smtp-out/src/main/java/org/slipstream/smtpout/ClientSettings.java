package org.slipstream.smtpout;

import org.slipstream.core.DataSize;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;
import org.slipstream.smtpout.wire.LongLines;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// How mail is sent to other servers: the section `[smtp-client]`, and the bound in bytes of
/// `[placement]`.
///
/// @param startTls use STARTTLS when offered (opportunistic: certificates are not checked, RFC
///     7435)
/// @param mtaSts without `startTls` there is none
/// @param dane by the bit AD of a resolver at loopback
/// @param dnsServers empty for those of the system
/// @param longLines what happens to lines of more than 998 octets
/// @param sourceAddressV4 the local address of connections by IPv4
/// @param mxRollUp domains with the same MX hosts are one destination
/// @param bytesAhead of unanswered messages on one connection
@SettingsSection("smtp-client")
public record ClientSettings(
        @Setting(key = "starttls", value = "true",
                doc = "Use TLS where it is offered (RFC 7435: without checking the certificate).") boolean startTls,
        @Setting(value = "true",
                doc = "Obey the policies of MTA-STS (RFC 8461): mail for a domain with one waits unless its hosts"
                        + " prove who they are.") boolean mtaSts,
        @Setting(value = "false",
                doc = "Obey TLSA records (DANE, RFC 7672). The DNS server must validate DNSSEC and be on this machine,"
                        + " such as Unbound at 127.0.0.1; its bit AD is trusted.") boolean dane,
        @Setting(value = "",
                doc = "DNS servers for MX records. Empty: those of the system.") List<InetSocketAddress> dnsServers,
        @Setting(value = "30s", min = "1ms", expert = true,
                doc = "Wait for a connection.") Duration connectTimeout,
        @Setting(value = "300s", min = "1ms", expert = true,
                doc = "Wait for the greeting.") Duration greetingTimeout,
        @Setting(value = "300s", min = "1ms", expert = true,
                doc = "Wait for the reply to EHLO, MAIL or RCPT.") Duration commandTimeout,
        @Setting(value = "300s", min = "1ms", expert = true,
                doc = "Wait for the reply to STARTTLS and for the handshake.") Duration tlsTimeout,
        @Setting(value = "120s", min = "1ms", expert = true,
                doc = "Wait for the reply to DATA.") Duration dataReplyTimeout,
        @Setting(value = "180s", min = "1ms", expert = true,
                doc = "Wait until a block of a message is sent.") Duration dataBlockTimeout,
        @Setting(value = "600s", min = "1ms", expert = true,
                doc = "Wait for the reply to the end of a message. A shorter wait causes duplicates (RFC"
                        + " 1047).") Duration finalReplyTimeout,
        @Setting(value = "convert", expert = true,
                doc = "Lines of more than 998 octets. `convert`: bodies are encoded, headers folded, and a message"
                        + " that is signed or allows neither is returned. `break`: as Postfix, a line end and a"
                        + " blank are inserted. `send`: unchanged.") LongLines longLines,
        @Setting(value = "",
                doc = "Local address of connections by IPv4. Empty: the system"
                        + " chooses.") Optional<Inet4Address> sourceAddressV4,
        @Setting(value = "",
                doc = "Local address of connections by IPv6. Empty: the system"
                        + " chooses.") Optional<Inet6Address> sourceAddressV6,
        @Setting(value = "false", expert = true,
                doc = "Domains with the same MX hosts are one destination: they share its connections, its limits"
                        + " and its failures.") boolean mxRollUp,
        @Setting(section = "placement", value = "4MiB", min = "1", max = "1GiB", expert = true,
                doc = "Bytes of unanswered messages on one connection. A larger message is sent alone. This bounds"
                        + " the bytes that are sent twice when a connection breaks.") DataSize bytesAhead) {
    public ClientSettings {
        dnsServers = List.copyOf(dnsServers);
    }

    public static ClientSettings defaults() {
        return SettingsRecords.defaults(ClientSettings.class);
    }
}
