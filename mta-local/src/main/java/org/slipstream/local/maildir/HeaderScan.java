package org.slipstream.local.maildir;

import org.slipstream.core.Content;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/// Reads the `Delivered-To` fields of a message: the mailboxes to which it was delivered before.
///
/// Each delivery puts its field on top, so the latest ones come first; the first 64 KiB of the
/// header are enough.
final class HeaderScan {
    private static final int MOST_BYTES = 64 << 10;
    private static final String FIELD = "delivered-to:";

    private HeaderScan() {}

    /// In lower case.
    static Set<String> deliveredTo(Content content) throws IOException {
        Set<String> mailboxes = new HashSet<>();
        try (InputStream in = new BufferedInputStream(content.open())) {
            int left = MOST_BYTES;
            for (String line = line(in, left); !line.isEmpty() && left > 0; line = line(in, left)) {
                left -= line.length() + 2;
                if (line.regionMatches(true, 0, FIELD, 0, FIELD.length())) {
                    mailboxes.add(line.substring(FIELD.length()).strip().toLowerCase(Locale.ROOT));
                }
            }
        }
        return mailboxes;
    }

    /// A line without its end; empty at the end of the header, of the message, or of the limit.
    private static String line(InputStream in, int most) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(80);
        for (int b = in.read(); b >= 0 && b != '\n' && line.size() < most; b = in.read()) {
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }
}
