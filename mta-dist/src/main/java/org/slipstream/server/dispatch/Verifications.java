package org.slipstream.server.dispatch;

import org.slipstream.core.Address;
import org.slipstream.core.Reply;

import java.util.Locale;
import java.util.function.Consumer;

/// Address verification: a probe as far as RCPT, without a message. The probes of all requests
/// share the limits of one pseudo-message (FI-07), so that they cannot take all connections.
@FunctionalInterface
public interface Verifications {
    /// Returns at once; the answer comes once, on any thread.
    void verify(Address address, Consumer<VerificationVerdict> answer);

    /// @param route transport and next hop; empty when no route was found
    /// @param host the host that replied; empty when none did
    /// @param reply of the host, or the reason for its absence
    record VerificationVerdict(VerificationResult result, String route, String host, Reply reply) {}

    enum VerificationResult {
        /// The host accepted the recipient.
        DELIVERABLE,
        /// A permanent refusal.
        UNDELIVERABLE,
        /// No host replied, or the refusal is a temporary one.
        UNKNOWN;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
