package org.slipstream.auth.report;

import org.slipstream.core.Address;
import org.slipstream.core.text.Ascii;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// A place for reports in a record of DNS: `mailto:reports@example.org`.
public final class ReportUri {
    private static final String MAILTO = "mailto:";

    private ReportUri() {}

    /// The address of a mailto URI; empty for another URI, and for one without an address
    /// that mail could be sent to. Sizes behind an exclamation mark are obsolete.
    public static Optional<Address> mailbox(String uri) {
        if (!Ascii.lower(uri).startsWith(MAILTO)) {
            return Optional.empty();
        }
        String text = uri.substring(MAILTO.length());
        int size = text.indexOf('!');
        int query = text.indexOf('?');
        String plain = text.substring(0, size >= 0 ? size : query >= 0 ? query : text.length());
        try {
            // A plus is no blank here, as it is in forms.
            return Address.parse(URLDecoder.decode(plain.replace("+", "%2B"), StandardCharsets.UTF_8))
                    .filter(address -> !address.domain().startsWith("["));
        } catch (IllegalArgumentException wrongEscape) {
            return Optional.empty();
        }
    }
}
