package org.slipstream.smtpout;

import org.slipstream.smtpout.dialog.Phase;

import java.net.InetSocketAddress;
import java.util.List;

/// The client's settings (limits.md, outbound).
///
/// @param hostname our name in EHLO
/// @param startTls use STARTTLS when offered (opportunistic: certificates are not checked, RFC 7435)
/// @param dnsServers empty for those of the system
public record ClientConfig(String hostname, boolean startTls, List<InetSocketAddress> dnsServers,
        long connectMillis, long greetingMillis, long commandMillis, long tlsMillis, long dataReplyMillis,
        long dataBlockMillis, long finalReplyMillis, long resetMillis, long quitMillis) {
    public static ClientConfig of(String hostname) {
        return new ClientConfig(hostname, true, List.of(), 30_000, 300_000, 300_000, 300_000, 120_000, 180_000, 600_000,
                20_000, 5_000);
    }

    /// How long to wait for what is awaited (RFC 5321 section 4.5.3.2).
    long patienceMillis(Phase awaited) {
        return switch (awaited) {
            case GREETING -> greetingMillis;
            case HELLO, MAIL, RECIPIENT -> commandMillis;
            case STARTTLS -> tlsMillis;
            case DATA -> dataReplyMillis;
            case FINAL -> finalReplyMillis;
            case RESET -> resetMillis;
            case QUIT -> quitMillis;
        };
    }
}
