package org.slipstream.local.maildrop;

import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.text.Xtext;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32C;

/// The format of a file in the maildrop: an envelope of lines, the content, and a last line that
/// proves that the file is whole.
///
/// ```
/// slipstream-maildrop 1
/// sender=alice
/// name=Alice+20Example
/// recipient=bob@example.org
/// body=EIGHT_BIT_MIME
///                                  an empty line ends the envelope
/// Subject: …                       the content
/// end 00000000000001a4 3f21c0de    octets before this line, and their CRC-32C
/// ```
///
/// Values are xtext (RFC 3461 section 4) of UTF-8, so no value contains a line end. A version with
/// another first line can change all the rest.
public final class DropFormat {
    static final String FIRST_LINE = "slipstream-maildrop 1\n";
    public static final int TRAILER_BYTES = "end 00000000000001a4 3f21c0de\n".length();

    private DropFormat() {}

    /// Everything before the content.
    static byte[] head(DropEnvelope envelope) {
        StringBuilder head = new StringBuilder(FIRST_LINE);
        line(head, "sender", envelope.sender());
        line(head, "name", envelope.fullName());
        envelope.recipients().forEach(recipient -> line(head, "recipient", recipient));
        envelope.notifyOn().stream().sorted().forEach(event -> line(head, "notify", event.name()));
        line(head, "return", envelope.returns().name());
        envelope.envelopeId().ifPresent(id -> line(head, "envelope-id", id));
        line(head, "body", envelope.body().name());
        return head.append('\n').toString().getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] trailer(long bytes, CRC32C sum) {
        return "end %016x %08x\n".formatted(bytes, sum.getValue()).getBytes(StandardCharsets.US_ASCII);
    }

    /// Whether this last line belongs to a file of that size. The checksum is compared when the file is read.
    static boolean ends(byte[] lastLine, long fileBytes) {
        return new String(lastLine, StandardCharsets.ISO_8859_1)
                .startsWith("end %016x ".formatted(fileBytes - TRAILER_BYTES));
    }

    private static void line(StringBuilder head, String key, String value) {
        head.append(key).append('=').append(Xtext.encode(value)).append('\n');
    }

    /// Reads the lines between the first line and the empty one.
    static DropEnvelope envelope(List<String> lines) throws DropFileException {
        String sender = "";
        String name = "";
        List<String> recipients = new ArrayList<>();
        Set<DsnNotify> notifyOn = EnumSet.noneOf(DsnNotify.class);
        DsnReturn returns = DsnReturn.UNSPECIFIED;
        Optional<String> envelopeId = Optional.empty();
        BodyType body = BodyType.EIGHT_BIT_MIME;
        for (String line : lines) {
            int equals = line.indexOf('=');
            String value = value(line.substring(equals + 1));
            switch (equals < 0 ? "" : line.substring(0, equals)) {
                case "sender" -> sender = value;
                case "name" -> name = value;
                case "recipient" -> recipients.add(value);
                case "notify" -> notifyOn.add(constant(DsnNotify.class, value));
                case "return" -> returns = constant(DsnReturn.class, value);
                case "envelope-id" -> envelopeId = Optional.of(value);
                case "body" -> body = constant(BodyType.class, value);
                default -> throw new DropFileException("an unknown line in the envelope");
            }
        }
        if (recipients.isEmpty()) {
            throw new DropFileException("no recipient");
        }
        return new DropEnvelope(sender, name, recipients, notifyOn, returns, envelopeId, body);
    }

    private static String value(String xtext) throws DropFileException {
        String octets = Xtext.decode(xtext).orElseThrow(() -> new DropFileException("a line that is not xtext"));
        try {
            String text = StandardCharsets.UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(octets.getBytes(StandardCharsets.ISO_8859_1))).toString();
            if (text.chars().anyMatch(Character::isISOControl)) {
                throw new DropFileException("a control character in the envelope");
            }
            return text;
        } catch (CharacterCodingException notUtf8) {
            throw new DropFileException("an envelope that is not UTF-8");
        }
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String name) throws DropFileException {
        try {
            return Enum.valueOf(type, name);
        } catch (IllegalArgumentException unknown) {
            throw new DropFileException("an unknown value in the envelope");
        }
    }
}
