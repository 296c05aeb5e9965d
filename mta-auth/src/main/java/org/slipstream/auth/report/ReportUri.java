package org.slipstream.auth.report;

import org.slipstream.core.Address;
import org.slipstream.core.text.Ascii;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// A place for reports in a record of DNS: `mailto:reports@example.org` or `https://example.org/reports`.
public final class ReportUri {
    private static final String MAILTO = "mailto:";

    private static final int LONGEST = 2_000;

    private ReportUri() {}

    /// The address of a page behind TLS; empty for another URI, for one without the name of a host, and for one with a
    /// login. A host that is given by its address is none of a domain's own.
    public static Optional<URI> page(String uri) {
        try {
            return Optional.of(uri).filter(text -> text.length() <= LONGEST && Ascii.is(text)).map(URI::create)
                    .filter(page -> "https".equalsIgnoreCase(page.getScheme()) && page.getUserInfo() == null
                            && page.getHost() != null && Address.isDomain(page.getHost()));
        } catch (IllegalArgumentException noUri) {
            return Optional.empty();
        }
    }

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
