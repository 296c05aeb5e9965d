package org.slipstream.auth.spf;

import org.slipstream.core.Address;
import org.slipstream.core.dns.DomainName;
import org.slipstream.core.text.Ascii;

import java.net.InetAddress;
import java.time.Instant;
import java.util.Optional;

/// A client, and the identity that it claims.
///
/// @param localPart of the sender; `postmaster` for a sender without one (RFC 7208 section 4.3)
/// @param domain whose record is evaluated
/// @param helo the name of the client in EHLO
/// @param receiver our own name, for explanations
/// @param now for explanations
public record SpfQuestion(InetAddress client, SpfIdentity identity, String localPart, String domain, String helo,
        String receiver, Instant now) {
    private static final String NO_LOCAL_PART = "postmaster";

    /// Macros make names of DNS from both names (RFC 8616 section 4).
    public SpfQuestion {
        domain = ascii(domain);
        helo = ascii(helo);
    }

    private static String ascii(String name) {
        return Ascii.is(name) ? name : DomainName.ascii(name).orElse(name);
    }

    /// Judges the sender of the envelope. Reports have none: there the name in EHLO is the domain
    /// (section 2.4).
    public static SpfQuestion ofSender(InetAddress client, Optional<Address> sender, String helo, String receiver,
            Instant now) {
        return new SpfQuestion(client, SpfIdentity.MAILFROM, sender.map(Address::localPart).orElse(NO_LOCAL_PART),
                sender.map(Address::domain).orElse(helo), helo, receiver, now);
    }

    /// Judges the name in EHLO.
    public static SpfQuestion ofHelo(InetAddress client, String helo, String receiver, Instant now) {
        return new SpfQuestion(client, SpfIdentity.HELO, NO_LOCAL_PART, helo, helo, receiver, now);
    }

    String sender() {
        return localPart + "@" + domain;
    }
}
