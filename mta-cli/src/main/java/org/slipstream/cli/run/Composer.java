package org.slipstream.cli.run;

import org.simplejavamail.api.email.EmailPopulatingBuilder;
import org.simplejavamail.converter.EmailConverter;
import org.simplejavamail.email.EmailBuilder;
import org.slipstream.core.Address;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;

/// Composes a message from sender, recipients, subject and text, with the required fields (RFC 5322
/// section 3.6).
final class Composer {
    private static final int UNIQUE_BYTES = 12;

    private Composer() {}

    /// @param hostname the right side of the Message-ID
    static byte[] compose(Address from, List<Address> to, String subject, String text, String hostname) {
        byte[] unique = new byte[UNIQUE_BYTES];
        new SecureRandom().nextBytes(unique);
        EmailPopulatingBuilder email = EmailBuilder.startingBlank().from(from.toString()).withSubject(subject)
                .withPlainText(text).fixingSentDate(Date.from(Instant.now()))
                .fixingMessageId("<" + HexFormat.of().formatHex(unique) + "@" + hostname + ">");
        to.forEach(recipient -> email.to(recipient.toString()));
        return EmailConverter.emailToEML(email.buildEmail()).getBytes(StandardCharsets.UTF_8);
    }
}
