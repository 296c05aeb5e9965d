package org.slipstream.server.report;

import org.slipstream.core.Address;
import org.slipstream.core.SenderTls;
import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.QuotedPrintable;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Composes the report as a message: `multipart/report` (RFC 6522) with an explanation for people,
/// a status for programs (RFC 3464), and the returned part of the original.
///
/// ```
/// multipart/report; report-type=delivery-status
/// ├─ text/plain                       Explanation
/// ├─ message/delivery-status          StatusPart
/// └─ text/rfc822-headers              Original, or message/rfc822 for the whole message
/// ```
///
/// To a sender of international mail the last two are `message/global-delivery-status` and
/// `message/global-headers` or `message/global` (RFC 6533), as far as they are not ASCII.
///
/// **Valid for any input.** The first two parts and a returned header are 7-bit lines of at most
/// 998 octets, encoded as quoted-printable where necessary (RFC 6522 section 4 permits it for
/// broken headers). A `message/rfc822` may not be encoded (RFC 2046 section 5.2.1); when the
/// message cannot be sent unchanged, [Original] has only its header.
///
/// Pure: the same report gives the same bytes. No library is used because the template is fixed,
/// and java-mail makes dates, ids and boundaries of its own.
final class ReportComposer {
    private static final int LONGEST_ADDRESS = 900;
    /// Replies may be longer than the 78 octets that RFC 5322 section 2.1.1 recommends; most
    /// readers prefer that to an encoded text.
    private static final int LONGEST_TEXT_LINE = 998;

    private ReportComposer() {}

    /// @param eightBit true when it needs 8BITMIME
    /// @param international true when it needs SMTPUTF8
    record Composed(byte[] content, boolean eightBit, boolean international, String messageId) {}

    /// @param boundary proposed; extended until it occurs in no part
    static Composed compose(DeliveryReport report, ReportTemplate template, String boundary) {
        byte[] text = textPart(ReportText.of(report, template));
        String fields = StatusPart.of(report);
        boolean globalStatus = !Ascii.is(fields);
        byte[] status = ("Content-Description: Delivery status\r\nContent-Type: message/"
                + (globalStatus ? "global-delivery-status\r\nContent-Transfer-Encoding: 8bit" : "delivery-status")
                + "\r\n\r\n" + fields).getBytes(StandardCharsets.UTF_8);
        boolean globalHeader = report.isInternational()
                && report.original().filter(Original::hasGlobalHeader).isPresent();
        byte[] original = report.original().map(each -> originalPart(each, globalHeader)).orElse(new byte[0]);
        boolean eightBit = globalStatus || globalHeader
                || report.original().filter(o -> o.whole() && !o.isAscii()).isPresent();
        String unique = unique(boundary, text, status, original);

        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.writeBytes(header(report, template.subject(report), unique, eightBit).getBytes(StandardCharsets.UTF_8));
        part(message, unique, text);
        part(message, unique, status);
        if (report.original().isPresent()) {
            part(message, unique, original);
        }
        message.writeBytes(ascii("\r\n--" + unique + "--\r\n"));
        return new Composed(message.toByteArray(), eightBit,
                globalStatus || globalHeader || report.sender().isInternational(), messageId(report));
    }

    private static String messageId(DeliveryReport report) {
        return "<" + report.message().summary().id() + "." + report.date().toInstant().toEpochMilli() + "."
                + report.kind().word() + "@" + report.hostname() + ">";
    }

    private static String header(DeliveryReport report, String subject, String boundary, boolean eightBit) {
        Optional<String> about = report.original().flatMap(Original::messageId);
        return ReportField.of("Date", report.written(report.date().toInstant()))
                + ReportField.of("From", "Mail Delivery System <MAILER-DAEMON@" + report.hostname() + ">")
                + "To: " + to(report.sender()) + "\r\n"
                + ReportField.of("Subject", subject)
                + ReportField.of("Message-ID", messageId(report))
                + about.map(
                        original -> ReportField.of("In-Reply-To", original) + ReportField.of("References", original))
                        .orElse("")
                // RFC 3834 section 5: prevents automatic replies.
                + ReportField.of("Auto-Submitted", "auto-replied") + ReportField.of("MIME-Version", "1.0")
                // RFC 8689 section 5: the servers on its way learn it, too.
                + (report.message().envelope().options().tls() == SenderTls.OPTIONAL
                        ? ReportField.of("TLS-Required", "No")
                        : "")
                + "Content-Type: multipart/report; report-type=delivery-status;\r\n\tboundary=\"" + boundary + "\"\r\n"
                + (eightBit ? ReportField.of("Content-Transfer-Encoding", "8bit") : "");
    }

    // An address cannot be folded; the envelope has it in any case.
    private static String to(Address sender) {
        String address = "<" + sender + ">";
        return address.getBytes(StandardCharsets.UTF_8).length <= LONGEST_ADDRESS
                ? address
                : "undisclosed-recipients:;";
    }

    private static byte[] textPart(String text) {
        boolean ascii = Ascii.is(text);
        boolean plain = ascii && text.lines().allMatch(line -> line.length() <= LONGEST_TEXT_LINE);
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        return join("Content-Description: What happened\r\nContent-Type: text/plain; charset="
                + (ascii ? "us-ascii" : "utf-8") + "\r\n", !plain, content);
    }

    private static byte[] originalPart(Original original, boolean global) {
        if (original.whole()) {
            String encoding = original.isAscii() ? "" : "Content-Transfer-Encoding: 8bit\r\n";
            return join("Content-Description: Your message\r\nContent-Type: message/"
                    + (global ? "global" : "rfc822") + "\r\n" + encoding, false,
                    original.content());
        }
        if (global) {
            return join("Content-Description: Header of your message\r\nContent-Type: message/global-headers\r\n"
                    + "Content-Transfer-Encoding: 8bit\r\n", false, original.content());
        }
        boolean encoded = !original.isAscii() || !original.isSendable();
        return join("Content-Description: Header of your message\r\nContent-Type: text/rfc822-headers\r\n", encoded,
                original.content());
    }

    private static byte[] join(String header, boolean encoded, byte[] content) {
        ByteArrayOutputStream part = new ByteArrayOutputStream(content.length + header.length() + 64);
        part.writeBytes(ascii(header));
        if (encoded) {
            part.writeBytes(ascii("Content-Transfer-Encoding: quoted-printable\r\n"));
        }
        part.writeBytes(ascii("\r\n"));
        part.writeBytes(encoded ? QuotedPrintable.encode(content) : content);
        return part.toByteArray();
    }

    private static void part(ByteArrayOutputStream message, String boundary, byte[] part) {
        message.writeBytes(ascii("\r\n--" + boundary + "\r\n"));
        message.writeBytes(part);
    }

    private static String unique(String boundary, byte[]... parts) {
        String candidate = boundary;
        for (byte[] part : parts) {
            String text = new String(part, StandardCharsets.ISO_8859_1);
            while (text.contains("--" + candidate)) {
                candidate += "_";
            }
        }
        return candidate;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
