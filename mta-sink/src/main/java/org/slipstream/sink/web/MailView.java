package org.slipstream.sink.web;

import jakarta.mail.BodyPart;
import jakarta.mail.Header;
import jakarta.mail.MessagingException;
import jakarta.mail.Multipart;
import jakarta.mail.Part;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeUtility;
import org.slipstream.sink.store.CaughtMessage;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UnsupportedEncodingException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/// A message as people read it: header, text, HTML and attachments (RFC 2045 to 2047). A message
/// that is no MIME is shown as far as it can be read, with the reason.
final class MailView {
    private static final int DEEPEST = 20;
    private static final int MOST_PARTS = 200;
    private static final int LONGEST_TEXT = 2 << 20;

    private final List<HeaderField> headers = new ArrayList<>();
    private final List<Part> attachments = new ArrayList<>();
    private Optional<String> text = Optional.empty();
    private Optional<String> html = Optional.empty();
    private String problem = "";
    private int parts;

    record HeaderField(String name, String value) {}

    /// @param number in the address of its download, from 1
    record Attachment(int number, String name, String type, long size) {}

    private MailView() {}

    static MailView of(CaughtMessage message) {
        MailView view = new MailView();
        try {
            MimeMessage mime = new MimeMessage(Session.getInstance(new Properties()),
                    new ByteArrayInputStream(message.content()));
            for (Header header : Collections.list(mime.getAllHeaders())) {
                view.headers.add(new HeaderField(header.getName(), decoded(header.getValue())));
            }
            view.look(mime, 0);
        } catch (MessagingException | IOException | RuntimeException unreadable) {
            // The library throws unchecked exceptions for some broken parameters.
            view.problem = "The message cannot be read whole: " + unreadable.getMessage();
        }
        return view;
    }

    private void look(Part part, int depth) throws MessagingException, IOException {
        if (depth > DEEPEST || ++parts > MOST_PARTS) {
            problem = "The message has more than " + MOST_PARTS + " parts or " + DEEPEST + " levels.";
        } else if (part.isMimeType("multipart/*") && part.getContent() instanceof Multipart many) {
            for (int i = 0; i < many.getCount(); i++) {
                BodyPart inner = many.getBodyPart(i);
                look(inner, depth + 1);
            }
        } else if (Part.ATTACHMENT.equalsIgnoreCase(part.getDisposition())) {
            attachments.add(part);
        } else if (part.isMimeType("text/plain") && text.isEmpty()) {
            text = Optional.of(content(part));
        } else if (part.isMimeType("text/html") && html.isEmpty()) {
            html = Optional.of(content(part));
        } else {
            attachments.add(part);
        }
    }

    private static String content(Part part) throws MessagingException, IOException {
        try {
            if (part.getContent() instanceof String all) {
                return all.length() > LONGEST_TEXT ? all.substring(0, LONGEST_TEXT) : all;
            }
        } catch (UnsupportedEncodingException unknown) {
            // Shown as it came.
        }
        try (InputStream in = part.getInputStream()) {
            return new String(in.readNBytes(LONGEST_TEXT), java.nio.charset.StandardCharsets.ISO_8859_1);
        }
    }

    private static String decoded(String value) {
        try {
            return value == null ? "" : MimeUtility.decodeText(MimeUtility.unfold(value));
        } catch (UnsupportedEncodingException unknown) {
            return value;
        }
    }

    List<HeaderField> headers() {
        return headers;
    }

    Optional<String> text() {
        return text;
    }

    Optional<String> html() {
        return html;
    }

    String problem() {
        return problem;
    }

    List<Attachment> attachments() {
        List<Attachment> all = new ArrayList<>();
        for (Part part : attachments) {
            all.add(attachment(all.size() + 1, part));
        }
        return all;
    }

    private static Attachment attachment(int number, Part part) {
        try (InputStream in = part.getInputStream()) {
            long size = in.transferTo(java.io.OutputStream.nullOutputStream());
            String name = Optional.ofNullable(part.getFileName()).map(MailView::decoded).orElse("part-" + number);
            return new Attachment(number, name, part.getContentType().split("[;\\s]", 2)[0], size);
        } catch (MessagingException | IOException | RuntimeException unreadable) {
            return new Attachment(number, "part-" + number, "application/octet-stream", 0);
        }
    }

    /// The octets of an attachment, decoded.
    Optional<byte[]> attachment(int number) {
        if (number < 1 || number > attachments.size()) {
            return Optional.empty();
        }
        try (InputStream in = attachments.get(number - 1).getInputStream()) {
            return Optional.of(in.readAllBytes());
        } catch (MessagingException | IOException | RuntimeException unreadable) {
            return Optional.empty();
        }
    }
}
