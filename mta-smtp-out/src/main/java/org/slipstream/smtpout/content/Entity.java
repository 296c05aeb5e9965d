package org.slipstream.smtpout.content;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The header of a message or of a part, with its description of the body (RFC 2045 sections 4 to
/// 6).
///
/// Unknown values count as 7-bit text, as the standard says. The header's bytes never change,
/// except for the field that names the encoding.
final class Entity {
    private static final String ENCODING = "content-transfer-encoding:";
    private static final String TYPE = "content-type:";
    private static final String VERSION = "mime-version:";
    private static final String SIGNATURE = "dkim-signature:";
    private static final Set<String> SEALED = Set.of("multipart/signed", "multipart/encrypted",
            "application/pkcs7-mime", "application/x-pkcs7-mime", "application/pkcs7-signature",
            "application/x-pkcs7-signature", "application/pgp-signature", "application/pgp-encrypted",
            "application/pgp");

    /// With continuation lines and line ends. The last one may be the empty line.
    private final List<String> fields;
    private final String type;
    private final Optional<String> boundary;
    private final String encoding;
    private final boolean eightBit;

    private Entity(List<String> fields, String standardType) {
        this.fields = fields;
        String contentType = value(TYPE).orElse(standardType);
        this.type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        this.boundary = parameter(contentType, "boundary");
        this.encoding = value(ENCODING).map(e -> e.replaceAll("\\(.*?\\)", "").strip().toLowerCase(Locale.ROOT))
                .filter(e -> !e.isEmpty()).orElse("7bit");
        this.eightBit = fields.stream().anyMatch(f -> f.chars().anyMatch(c -> c > 127));
    }

    /// @param raw the lines, including the empty one at the end if there is one
    /// @param standardType of a body whose header names none
    static Entity of(byte[] raw, String standardType) {
        List<String> fields = new ArrayList<>();
        for (String line : new String(raw, StandardCharsets.ISO_8859_1).split("(?<=\r\n)")) {
            boolean folded = (line.startsWith(" ") || line.startsWith("\t")) && !fields.isEmpty();
            if (folded) {
                fields.set(fields.size() - 1, fields.getLast() + line);
            } else if (!line.isEmpty()) {
                fields.add(line);
            }
        }
        return new Entity(fields, standardType);
    }

    boolean isMultipart() {
        return type.startsWith("multipart/");
    }

    /// True when the body is a message with its own header. A message encoded as a whole, against
    /// RFC 2046 section 5.2.1, is not parsed.
    boolean isMessage() {
        return type.equals("message/rfc822") && !isEncoded();
    }

    boolean isDigest() {
        return type.equals("multipart/digest");
    }

    boolean isText() {
        return type.startsWith("text/");
    }

    Optional<String> boundary() {
        return boundary;
    }

    /// `7bit`, `8bit`, `binary`, `quoted-printable`, `base64`, or an unknown value.
    String encoding() {
        return encoding;
    }

    boolean isEncoded() {
        return encoding.equals("base64") || encoding.equals("quoted-printable");
    }

    boolean hasEightBitHeader() {
        return eightBit;
    }

    /// True when a signature or encryption covers the encoded form of the content (DKIM: RFC 6376,
    /// S/MIME: RFC 8551, PGP: RFC 3156).
    ///
    /// @param top the message's own header
    boolean isSigned(boolean top) {
        return SEALED.contains(type) || top && value(SIGNATURE).isPresent();
    }

    /// True when each line is short enough, or has a blank at which it can be folded.
    boolean canBeFolded() {
        return fields.stream().allMatch(field -> Folding.of(field).isPresent());
    }

    /// The same header with short lines.
    Entity folded() {
        return new Entity(fields.stream().map(field -> Folding.of(field).orElse(field)).toList(), type);
    }

    private Optional<String> value(String name) {
        return fields.stream().filter(f -> f.regionMatches(true, 0, name, 0, name.length())).findFirst()
                .map(f -> f.substring(name.length()).replace("\r\n", " ").strip());
    }

    byte[] bytes() {
        return String.join("", fields).getBytes(StandardCharsets.ISO_8859_1);
    }

    /// The header with another encoding.
    ///
    /// @param top the message's own header, which gets MIME-Version if it lacks it
    /// @param charset of text whose header names none
    byte[] bytes(String otherEncoding, boolean top, String charset) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean blank = !fields.isEmpty() && fields.getLast().equals("\r\n");
        List<String> named = blank ? fields.subList(0, fields.size() - 1) : fields;
        for (String field : named) {
            if (!field.regionMatches(true, 0, ENCODING, 0, ENCODING.length())) {
                out.writeBytes(field.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        if (top && value(VERSION).isEmpty()) {
            write(out, "MIME-Version: 1.0");
        }
        if (top && value(TYPE).isEmpty()) {
            write(out, "Content-Type: text/plain; charset=" + charset);
        }
        write(out, "Content-Transfer-Encoding: " + otherEncoding);
        if (blank) {
            out.writeBytes(new byte[]{'\r', '\n'});
        }
        return out.toByteArray();
    }

    private static void write(ByteArrayOutputStream out, String line) {
        out.writeBytes((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    /// RFC 2045 section 5.1, including quotes and backslashes inside them; RFC 2231's syntax is not
    /// used for boundaries.
    private static Optional<String> parameter(String contentType, String name) {
        int at = contentType.indexOf(';');
        while (at >= 0) {
            int start = at + 1;
            int end = start;
            boolean quoted = false;
            StringBuilder text = new StringBuilder();
            for (; end < contentType.length() && (quoted || contentType.charAt(end) != ';'); end++) {
                char c = contentType.charAt(end);
                if (c == '"') {
                    quoted = !quoted;
                } else if (quoted && c == '\\' && end + 1 < contentType.length()) {
                    text.append(contentType.charAt(++end));
                } else if (quoted || c > ' ') {
                    text.append(c);
                }
            }
            if (text.toString().regionMatches(true, 0, name + "=", 0, name.length() + 1)) {
                return Optional.of(text.substring(name.length() + 1).stripTrailing()).filter(v -> !v.isEmpty());
            }
            at = end < contentType.length() ? end : -1;
        }
        return Optional.empty();
    }
}
