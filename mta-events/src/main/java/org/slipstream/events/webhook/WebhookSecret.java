package org.slipstream.events.webhook;

import org.slipstream.settings.Complaints;
import org.slipstream.settings.LogicalLine;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// A secret that proves to a receiver that a request comes from this server, as Standard Webhooks has it
/// (<https://www.standardwebhooks.com>).
///
/// @param text `whsec_` and Base64
public record WebhookSecret(String text) {
    /// The one in use, and the one that the receiver changes to.
    static final int MOST = 2;
    private static final String PREFIX = "whsec_";
    /// The way to make one.
    public static final String REMEDY = "make one with: echo " + PREFIX + "$(openssl rand -base64 32)";
    private static final int LEAST_OCTETS = 24;
    private static final int MOST_OCTETS = 64;
    private static final String HMAC = "HmacSHA256";

    /// Empty for a text of another form.
    static Optional<WebhookSecret> parse(String text) {
        try {
            int octets = text.startsWith(PREFIX) ? key(text).length : 0;
            return octets >= LEAST_OCTETS && octets <= MOST_OCTETS
                    ? Optional.of(new WebhookSecret(text))
                    : Optional.empty();
        } catch (IllegalArgumentException noBase64) {
            return Optional.empty();
        }
    }

    /// Reads a file of secrets. A complaint does not show them.
    ///
    /// @param key of the setting
    public static List<WebhookSecret> read(List<LogicalLine> lines, String key, Complaints complaints) {
        List<WebhookSecret> secrets = new ArrayList<>();
        for (LogicalLine line : lines) {
            parse(line.text()).ifPresentOrElse(secrets::add, () -> complaints.add(line.place(), key,
                    "the line is not \"" + PREFIX + "\" and " + LEAST_OCTETS + " to " + MOST_OCTETS
                            + " octets in Base64",
                    Optional.of(REMEDY)));
        }
        if (lines.size() > MOST) {
            complaints.add(lines.getLast().place(), key, "the file has " + lines.size() + " secrets, and at most "
                    + MOST + " are used");
        }
        return secrets;
    }

    private static byte[] key(String text) {
        return Base64.getDecoder().decode(text.substring(PREFIX.length()));
    }

    /// The signature of a request: `v1,` and Base64.
    String sign(String id, long seconds, byte[] body) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key(text), HMAC));
            mac.update((id + "." + seconds + ".").getBytes(StandardCharsets.US_ASCII));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException impossible) {
            throw new LinkageError("every JDK has " + HMAC, impossible);
        }
    }

    @Override
    public String toString() {
        return "(secret)";
    }
}
