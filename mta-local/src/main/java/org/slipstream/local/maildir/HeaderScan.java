package org.slipstream.local.maildir;

import org.slipstream.core.Content;
import org.slipstream.core.SpamMark;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/// The facts of a header that decide about its delivery. The first 64 KiB of the header are enough:
/// each delivery and each check puts its field on top.
///
/// @param visited the mailboxes to which it was delivered before, in lower case: its `Delivered-To` fields
/// @param spam it is marked as spam
record HeaderScan(Set<String> visited, boolean spam) {
    private static final int MOST_BYTES = 64 << 10;
    private static final String FIELD = "delivered-to:";
    private static final String SPAM = SpamMark.FIELD + ":";

    static HeaderScan of(Content content) throws IOException {
        Set<String> mailboxes = new HashSet<>();
        boolean spam = false;
        try (InputStream in = new BufferedInputStream(content.open())) {
            int left = MOST_BYTES;
            for (String line = line(in, left); !line.isEmpty() && left > 0; line = line(in, left)) {
                left -= line.length() + 2;
                if (isField(line, FIELD)) {
                    mailboxes.add(line.substring(FIELD.length()).strip().toLowerCase(Locale.ROOT));
                }
                spam |= isField(line, SPAM) && line.substring(SPAM.length()).strip().equalsIgnoreCase(SpamMark.VALUE);
            }
        }
        return new HeaderScan(mailboxes, spam);
    }

    private static boolean isField(String line, String field) {
        return line.regionMatches(true, 0, field, 0, field.length());
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
