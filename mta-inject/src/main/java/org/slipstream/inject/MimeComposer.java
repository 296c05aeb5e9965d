package org.slipstream.inject;

import jakarta.activation.DataHandler;
import jakarta.mail.BodyPart;
import jakarta.mail.MessagingException;
import jakarta.mail.Part;
import jakarta.mail.Session;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import jakarta.mail.internet.MimePart;
import jakarta.mail.internet.MimeUtility;
import jakarta.mail.util.ByteArrayDataSource;
import org.slipstream.core.text.Ascii;
import org.slipstream.inject.InjectionTarget.MessageWriter;
import org.slipstream.inject.MailRequest.AttachedFile;
import org.slipstream.inject.MailRequest.Mailbox;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Composes the message of a request:
///
/// ```
/// multipart/mixed                 with attachments
///   multipart/related             with parts that the HTML shows
///     multipart/alternative       with text and HTML
///       text/plain
///       text/html
///     image/png …                 inline
///   application/pdf …             attachments
/// ```
///
/// A container with one part is left out. The server adds Date and Message-ID, as for any submission. Blind
/// recipients are in no field.
///
/// With an address beyond ASCII the header is UTF-8 (RFC 6532), and the message needs SMTPUTF8; otherwise texts of the
/// header are encoded (RFC 2047).
final class MimeComposer {
    static {
        // Without a name the library searches all its jars for each part of each message, for a millisecond.
        String provider = "jakarta.mail.util.StreamProvider";
        if (System.getProperty(provider) == null) {
            System.setProperty(provider, "org.eclipse.angus.mail.util.MailStreamProvider");
        }
    }

    private static final Session ASCII = session(false);
    private static final Session INTERNATIONAL = session(true);
    private static final Pattern LINE_END = Pattern.compile("\r\n|\r|\n");
    private static final String ENCODING = "Content-Transfer-Encoding";
    private static final String UTF8 = StandardCharsets.UTF_8.name();
    /// RFC 5322 section 2.1.1.
    private static final int LINE = 76;

    private final MailRequest request;
    private final boolean international;

    private MimeComposer(MailRequest request) {
        this.request = request;
        this.international = isInternational(request);
    }

    private static Session session(boolean utf8) {
        Properties properties = new Properties();
        properties.setProperty("mail.mime.allowutf8", Boolean.toString(utf8));
        return Session.getInstance(properties);
    }

    /// True when an address of the header, or the sender, needs SMTPUTF8. The recipients of the envelope are among
    /// those of the request.
    static boolean isInternational(MailRequest request) {
        return request.sender().isInternational()
                || Stream.of(List.of(request.from()), request.to(), request.cc(), request.bcc(), request.replyTo())
                        .flatMap(List::stream).anyMatch(each -> each.address().isInternational());
    }

    static MessageWriter compose(MailRequest request) {
        return new MimeComposer(request)::write;
    }

    /// A message whose Message-ID is given or left to the server.
    private static final class PlainMessage extends MimeMessage {
        PlainMessage(Session session) {
            super(session);
        }

        @Override
        protected void updateMessageID() {
            // The server adds one that has the queue id.
        }
    }

    private void write(OutputStream out) throws IOException {
        MimeMessage message = new PlainMessage(international ? INTERNATIONAL : ASCII);
        try {
            message.setHeader("From", field("From", List.of(request.from())));
            recipients(message, "Reply-To", request.replyTo());
            recipients(message, "To", request.to());
            recipients(message, "Cc", request.cc());
            if (!request.subject().isEmpty()) {
                message.setHeader("Subject", folded("Subject", request.subject()));
            }
            for (Map.Entry<String, String> field : request.headers().entrySet()) {
                message.setHeader(field.getKey(), folded(field.getKey(), field.getValue()));
            }
            fill(message);
            message.saveChanges();
            message.writeTo(out);
        } catch (MessagingException e) {
            throw new IOException("the message cannot be composed: " + e.getMessage(), e);
        }
    }

    // ---- header

    private void recipients(MimeMessage message, String name, List<Mailbox> people)
            throws MessagingException, UnsupportedEncodingException {
        if (!people.isEmpty()) {
            message.setHeader(name, field(name, people));
        }
    }

    private String field(String name, List<Mailbox> people) throws UnsupportedEncodingException {
        List<InternetAddress> all = new ArrayList<>();
        for (Mailbox each : people) {
            InternetAddress address = new InternetAddress();
            address.setAddress(each.address().toString());
            if (!each.name().isEmpty()) {
                address.setPersonal(each.name(), UTF8);
            }
            all.add(address);
        }
        int used = name.length() + 2;
        InternetAddress[] addresses = all.toArray(InternetAddress[]::new);
        return international
                ? all.stream().map(InternetAddress::toUnicodeString).collect(Collectors.joining(",\r\n\t"))
                : InternetAddress.toString(addresses, used);
    }

    /// An ASCII text stays as it is, so that a structured field is not changed.
    private String folded(String name, String value) throws UnsupportedEncodingException {
        String text = Ascii.is(value) || international ? value : MimeUtility.encodeText(value, UTF8, "B");
        return MimeUtility.fold(name.length() + 2, text);
    }

    // ---- body

    private void fill(MimeMessage message) throws MessagingException {
        List<AttachedFile> inline = request.attachments().stream().filter(each -> each.inlineId().isPresent()).toList();
        List<AttachedFile> files = request.attachments().stream().filter(each -> each.inlineId().isEmpty()).toList();
        if (files.isEmpty()) {
            related(message, inline);
            return;
        }
        MimeBodyPart body = new MimeBodyPart();
        related(body, inline);
        parts(message, "mixed", body, files);
    }

    private void related(MimePart part, List<AttachedFile> inline) throws MessagingException {
        if (inline.isEmpty()) {
            alternative(part);
            return;
        }
        MimeBodyPart body = new MimeBodyPart();
        alternative(body);
        parts(part, "related", body, inline);
    }

    private static void parts(MimePart whole, String kind, BodyPart first, List<AttachedFile> others)
            throws MessagingException {
        MimeMultipart container = new MimeMultipart(kind);
        container.addBodyPart(first);
        for (AttachedFile each : others) {
            container.addBodyPart(part(each));
        }
        whole.setContent(container);
    }

    private void alternative(MimePart part) throws MessagingException {
        if (request.text().isEmpty() || request.html().isEmpty()) {
            text(part, request.text().or(request::html).orElseThrow(), request.text().isPresent() ? "plain" : "html");
            return;
        }
        MimeMultipart both = new MimeMultipart("alternative");
        MimeBodyPart plain = new MimeBodyPart();
        text(plain, request.text().get(), "plain");
        both.addBodyPart(plain);
        MimeBodyPart html = new MimeBodyPart();
        text(html, request.html().get(), "html");
        both.addBodyPart(html);
        part.setContent(both);
    }

    private static void text(MimePart part, String text, String kind) throws MessagingException {
        String lines = LINE_END.matcher(text).replaceAll("\r\n");
        part.setDataHandler(new DataHandler(
                new ByteArrayDataSource(lines.getBytes(StandardCharsets.UTF_8), "text/" + kind + "; charset=utf-8")));
        part.setHeader("Content-Type", "text/" + kind + "; charset=utf-8");
        part.setHeader(ENCODING, isPlain(lines) ? "7bit" : "quoted-printable");
    }

    /// ASCII in lines that any program shows as they are.
    private static boolean isPlain(String lines) {
        int length = 0;
        for (int i = 0; i < lines.length(); i++) {
            char c = lines.charAt(i);
            length = c == '\n' ? 0 : length + 1;
            if (c > '~' || c < ' ' && c != '\r' && c != '\n' && c != '\t' || length > LINE + 2) {
                return false;
            }
        }
        return true;
    }

    private static MimeBodyPart part(AttachedFile attachment) throws MessagingException {
        MimeBodyPart part = new MimeBodyPart();
        part.setDataHandler(new DataHandler(new ByteArrayDataSource(attachment.content(), attachment.type())));
        part.setHeader("Content-Type", attachment.type());
        part.setHeader(ENCODING, "base64");
        part.setDisposition(attachment.inlineId().isPresent() ? Part.INLINE : Part.ATTACHMENT);
        part.setFileName(attachment.name());
        if (attachment.inlineId().isPresent()) {
            part.setHeader("Content-ID", "<" + attachment.inlineId().get() + ">");
        }
        return part;
    }
}
