package org.slipstream.local.maildir;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The folder name for a local part or a domain from an untrusted client.
///
/// The characters `a`–`z`, digits and `. _ + - =` stand for themselves; every other byte of the
/// UTF-8 form is `%XX`, and so is a leading dot. So no name is hidden, is `.` or `..`, or leaves
/// its folder. Different names stay different, because `%` itself is always written as `%25`. A
/// name that would be longer than 200 bytes keeps its beginning and ends with `%sha256=` and the
/// digest of the whole; no short name has that form.
final class FolderName {
    private static final int LONGEST = 200;
    private static final int KEPT = 120;
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private FolderName() {}

    /// @param name in lower case, where case does not count
    static String of(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        StringBuilder folder = new StringBuilder(bytes.length);
        for (byte b : bytes) {
            if (isPlain(b) && !(b == '.' && folder.isEmpty())) {
                folder.append((char) b);
            } else {
                folder.append('%').append(HEX.toHexDigits(b));
            }
        }
        return folder.length() <= LONGEST ? folder.toString() : folder.substring(0, KEPT) + "%sha256=" + digest(bytes);
    }

    private static boolean isPlain(byte b) {
        return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || "._+-=".indexOf(b) >= 0;
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
