package org.slipstream.smtpin;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.smtpin.policy.Client;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/// Composes the Received line that this server adds on top (RFC 5321 section 4.4).
final class ReceivedLine {
    private static final DateTimeFormatter DATE = DateTimeFormatter
            .ofPattern("EEE, d MMM yyyy HH:mm:ss Z", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    /// The date composed last: a busy server receives thousands of messages in a second.
    private static volatile Second lastDate = new Second(Long.MIN_VALUE, "");

    private record Second(long epochSecond, String text) {}

    /// The protocol of the session (RFC 3848, RFC 6531).
    enum Protocol {
        ESMTP("ESMTP"), LMTP("LMTP"), INTERNATIONAL_ESMTP("UTF8SMTP"), INTERNATIONAL_LMTP("UTF8LMTP");

        private final String word;

        Protocol(String word) {
            this.word = word;
        }

        static Protocol of(boolean lmtp, boolean international) {
            if (international) {
                return lmtp ? INTERNATIONAL_LMTP : INTERNATIONAL_ESMTP;
            }
            return lmtp ? LMTP : ESMTP;
        }
    }

    private ReceivedLine() {}

    /// @param only the recipient when there is exactly one; several would disclose blind copies to
    ///     each other
    static String compose(Client client, Protocol protocol, String hostname, QueueId id, Optional<Address> only,
            Instant now) {
        return "Received: from " + client.helo().orElse("unknown") + " (" + literal(client.address()) + ")\r\n\tby "
                + hostname + " (Slipstream) with " + protocol(client, protocol) + " id " + id
                + only.map(address -> "\r\n\tfor <" + address + ">").orElse("")
                + client.tls().map(tls -> "\r\n\ttls " + tls.substring(tls.indexOf(' ') + 1)).orElse("") + ";\r\n\t"
                + date(now) + "\r\n";
    }

    /// The line of a message that a program handed in by HTTP.
    static String composeHttp(Client client, String hostname, QueueId id, Optional<Address> only, Instant now) {
        return "Received: from " + literal(client.address()) + "\r\n\tby " + hostname
                + " (Slipstream) with HTTP" + (client.tls().isPresent() ? "S" : "") + " id " + id
                + only.map(address -> "\r\n\tfor <" + address + ">").orElse("") + ";\r\n\t" + date(now) + "\r\n";
    }

    /// The line of a message that a local program left. No client is in it, as in the line of
    /// Postfix's pickup.
    static String composeLocal(String hostname, QueueId id, int userId, Instant now) {
        return "Received: by " + hostname + " (Slipstream, from userid " + userId + ")\r\n\tid " + id + ";\r\n\t"
                + date(now) + "\r\n";
    }

    /// RFC 5322 section 3.3.
    static String date(Instant time) {
        Second last = lastDate;
        if (last.epochSecond() != time.getEpochSecond()) {
            last = new Second(time.getEpochSecond(), DATE.format(time));
            lastDate = last;
        }
        return last.text();
    }

    /// RFC 5321 section 4.1.3, without the local scope.
    static String literal(InetAddress address) {
        String text = address.getHostAddress();
        int scope = text.indexOf('%');
        String plain = scope < 0 ? text : text.substring(0, scope);
        return address instanceof Inet6Address ? "[IPv6:" + plain + "]" : "[" + plain + "]";
    }

    // RFC 3848 and RFC 6531 section 4.3. No keyword exists for HELO over TLS. RFC 8314 section 4.3
    // defines the cipher suite's clause.
    private static String protocol(Client client, Protocol protocol) {
        if (!client.extended()) {
            return "SMTP";
        }
        return protocol.word + (client.tls().isPresent() ? "S" : "") + (client.user().isPresent() ? "A" : "");
    }
}
