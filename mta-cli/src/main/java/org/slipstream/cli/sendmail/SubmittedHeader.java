package org.slipstream.cli.sendmail;

import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The header of a message on standard input.
///
/// It ends at the empty line or at the first line that is no field, which then begins the body. A
/// first line `From alice Mon Nov 23 …` is the separator of a mailbox file and is left out.
final class SubmittedHeader {
    private static final int MOST_BYTES = 1 << 20;
    private static final Pattern FIELD = Pattern.compile("([!-9;-~]+)[ \\t]*:(.*)", Pattern.DOTALL);
    private static final Set<String> NEVER_SENT = Set.of("bcc", "resent-bcc", "return-path");
    private static final Set<String> RECIPIENTS = Set.of("to", "cc", "bcc");
    private static final Set<String> RESENT = Set.of("resent-to", "resent-cc", "resent-bcc");

    private final List<Field> fields = new ArrayList<>();
    private String firstOfBody = "";

    /// @param text with its line ends, one character per octet
    private record Field(String name, String text) {
        String value() {
            byte[] octets = text.substring(text.indexOf(':') + 1).getBytes(StandardCharsets.ISO_8859_1);
            return new String(octets, StandardCharsets.UTF_8).replaceAll("[\\r\\n]+", "").strip();
        }
    }

    private SubmittedHeader() {}

    /// Reads the header and leaves `text` at the body.
    static SubmittedHeader read(SubmittedText text) throws IOException, SendmailException {
        SubmittedHeader header = new SubmittedHeader();
        int bytes = 0;
        boolean first = true;
        for (String line = line(text); header.add(line, first); line = line(text)) {
            first = false;
            bytes += line.length();
            if (bytes > MOST_BYTES) {
                throw new SendmailException(SysExit.DATA_ERROR, "the header is larger than " + MOST_BYTES + " bytes");
            }
        }
        text.beginBody();
        return header;
    }

    /// With its line end; empty at the end of the text.
    private static String line(SubmittedText text) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = text.read(); c >= 0; c = text.read()) {
            line.write(c);
            if (c == '\n' || line.size() > MOST_BYTES) {
                break;
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    /// @return false when the line is not part of the header
    private boolean add(String line, boolean first) {
        if (first && (line.startsWith("From ") || line.startsWith(">From "))) {
            return true;
        }
        if (!fields.isEmpty() && !line.isBlank() && (line.startsWith(" ") || line.startsWith("\t"))) {
            Field last = fields.removeLast();
            fields.add(new Field(last.name(), last.text() + line));
            return true;
        }
        Matcher field = FIELD.matcher(line);
        if (field.matches()) {
            fields.add(new Field(field.group(1).toLowerCase(Locale.ROOT), line));
            return true;
        }
        firstOfBody = line.equals("\r\n") ? "" : line;
        return false;
    }

    /// The addresses of To, Cc and Bcc, or of the Resent fields when there are some (RFC 5322 section
    /// 3.6.6). Bcc is not sent (RFC 5321 section 7.2).
    List<String> recipients() throws SendmailException {
        boolean resent = fields.stream().anyMatch(field -> RESENT.contains(field.name()));
        List<String> found = new ArrayList<>();
        for (Field field : fields) {
            if ((resent ? RESENT : RECIPIENTS).contains(field.name())) {
                found.addAll(addresses(field.value()));
            }
        }
        return found;
    }

    /// The addresses in a list of RFC 5322 section 3.4, with the members of its groups.
    static List<String> addresses(String list) throws SendmailException {
        try {
            List<String> found = new ArrayList<>();
            for (InternetAddress each : InternetAddress.parseHeader(list, false)) {
                if (each.isGroup()) {
                    for (InternetAddress member : each.getGroup(false)) {
                        found.add(member.getAddress());
                    }
                } else {
                    found.add(each.getAddress());
                }
            }
            found.removeIf(String::isBlank);
            return found;
        } catch (AddressException wrong) {
            throw new SendmailException(SysExit.DATA_ERROR, "a list of addresses that cannot be read: " + list, wrong);
        }
    }

    /// Writes the header as it is sent, the empty line, and what was read of the body.
    void writeTo(OutputStream out) throws IOException {
        StringBuilder header = new StringBuilder();
        fields.stream().filter(field -> !NEVER_SENT.contains(field.name())).map(Field::text).forEach(header::append);
        out.write(header.append("\r\n").append(firstOfBody).toString().getBytes(StandardCharsets.ISO_8859_1));
    }
}
