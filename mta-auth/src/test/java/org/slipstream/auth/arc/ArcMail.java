package org.slipstream.auth.arc;

import org.slipstream.auth.dkim.BodyHashes;
import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.core.dns.DnsLookup;

import java.time.Instant;

/// A message of a test.
final class ArcMail {
    static final Instant NOW = Instant.ofEpochSecond(1_790_000_000);

    private ArcMail() {}

    static ArcResult verify(byte[] message, DnsLookup dns) {
        BodyHashes bodies = new BodyHashes();
        ArcVerifier verifier = new ArcVerifier(new RawHeader(message), NOW, bodies);
        bodies.update(message, body(message), message.length);
        return verifier.result(dns);
    }

    /// Where the body begins.
    static int body(byte[] message) {
        for (int at = 0; at + 3 < message.length; at++) {
            if (message[at] == '\r' && message[at + 1] == '\n' && message[at + 2] == '\r' && message[at + 3] == '\n') {
                return at + 4;
            }
        }
        return message.length;
    }
}
