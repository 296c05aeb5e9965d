package org.slipstream.smtpin.protocol;

import org.slipstream.core.DataSize;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;

import java.time.Duration;

/// The limits of a session: the section `[limits]`.
///
/// @param messageSize SIZE; 552 5.3.4 beyond (RFC 5321 section 4.5.3.1.7: 64 KiB and more)
/// @param recipients per transaction; 452 4.5.3 beyond (RFC 5321 section 4.5.3.1.10)
/// @param envelopeSize of addresses and parameters per transaction; 452 4.5.3 beyond
/// @param hops Received fields; 554 5.4.6 beyond (RFC 5321 section 6.3)
/// @param headerSize 552 5.3.4 beyond
/// @param headerLines 552 5.3.4 beyond
/// @param commandLine bytes of a command line with its CRLF; 500 5.5.2 beyond
/// @param textLine a line of a message with its CRLF; 500 5.6.0 beyond
/// @param connections sessions at once on this port, a tenth of them for known clients only; 421
///     4.7.0 beyond
/// @param connectionsPerClient sessions at once from one address, or one IPv6 network of 64 bits;
///     421 4.7.0 beyond
/// @param errors negative replies before 421 4.7.0
/// @param junkCommands commands without mail before 421 4.7.0
/// @param messagesPerConnection transactions before 421 4.7.0
/// @param idle longest wait for a command, for a client that reads its replies, and for a
///     handshake; a tenth of it when nine of ten places are taken
/// @param dataRate bytes per second, averaged over 60 s
@SettingsSection("limits")
public record Limits(
        @Setting(value = "25MiB", min = "1",
                doc = "Largest message, announced as SIZE (RFC 1870).") DataSize messageSize,
        @Setting(value = "1000", min = "1", max = "1000000",
                doc = "Recipients of one transaction. Further ones are deferred with 452.") int recipients,
        @Setting(value = "128KiB", min = "4KiB", max = "2147483647", expert = true,
                doc = "Addresses of one transaction with their parameters. Further recipients are deferred with 452."
                        + " 1,000 ordinary addresses have 30 KB.") DataSize envelopeSize,
        @Setting(value = "50", min = "1", max = "1000", expert = true,
                doc = "`Received` lines from which a message counts as looping (RFC 5321 section 6.3).") int hops,
        @Setting(value = "128KiB", min = "1", max = "2147483647", expert = true,
                doc = "Size of a message's header.") DataSize headerSize,
        @Setting(value = "1000", min = "1", expert = true,
                doc = "Lines of a message's header.") int headerLines,
        @Setting(value = "2048", min = "512", max = "1048576", expert = true,
                doc = "Bytes of a command line (RFC 5321 section 4.5.3.1.4: at least 512).") int commandLine,
        @Setting(value = "1MiB", min = "1000", max = "2147483647", expert = true,
                doc = "Longest line of a message that is accepted (RFC 5321 section 4.5.3.1.6: at"
                        + " least 1000).") DataSize textLine,
        @Setting(value = "1000", min = "1", max = "100000",
                doc = "Sessions at once on one port. A tenth of them is reserved for clients of `relay.networks` and"
                        + " `policy.exempt`, for users, and for networks from which a user has logged in since the"
                        + " start.") int connections,
        @Setting(value = "30", min = "1", max = "100000",
                doc = "Sessions at once from one address, or from one IPv6 network of 64"
                        + " bits.") int connectionsPerClient,
        @Setting(value = "20", min = "1", expert = true,
                doc = "Errors in a session before it is closed.") int errors,
        @Setting(value = "100", min = "1", expert = true,
                doc = "NOOP, RSET, VRFY and the like between messages before the session"
                        + " is closed.") int junkCommands,
        @Setting(value = "500", min = "1", expert = true,
                doc = "Transactions before the session is closed.") int messagesPerConnection,
        @Setting(value = "300s", min = "1ms",
                doc = "How long a client may send nothing (RFC 5321 section 4.5.3.2.7: at least 5 minutes), leave"
                        + " replies unread or take for a TLS handshake. While nine of ten places are taken, a tenth"
                        + " of it.") Duration idle,
        @Setting(value = "500", expert = true,
                doc = "Bytes per second that a client must send during DATA, averaged"
                        + " over 60 seconds.") int dataRate) {

    public static Limits standard() {
        return SettingsRecords.defaults(Limits.class);
    }

    /// The longest wait for a client while the port is crowded, so that clients with mail find a
    /// place.
    public long crowdedIdleMillis() {
        return Math.max(1, idle.toMillis() / 10);
    }

    /// Beyond so many bytes a client does not intend to end its message.
    public long endlessBytes() {
        return 2 * Math.min(messageSize.bytes(), Long.MAX_VALUE / 4) + (1 << 20);
    }
}
