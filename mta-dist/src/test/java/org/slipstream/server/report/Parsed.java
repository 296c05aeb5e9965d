package org.slipstream.server.report;

import jakarta.mail.Header;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.ContentType;
import jakarta.mail.internet.InternetHeaders;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import jakarta.mail.internet.MimeUtility;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import static org.assertj.core.api.Assertions.assertThat;

/// A report as a mail program reads it.
///
/// @param blocks of the status part, fields unfolded
record Parsed(MimeMessage message, List<MimeBodyPart> parts, List<Map<String, String>> blocks) {
    static Parsed of(byte[] content) {
        try {
            MimeMessage message = new MimeMessage(Session.getInstance(new Properties()),
                    new ByteArrayInputStream(content));
            ContentType type = new ContentType(message.getContentType());
            assertThat(type.getBaseType()).isEqualTo("multipart/report");
            assertThat(type.getParameter("report-type")).isEqualTo("delivery-status");
            MimeMultipart multipart = (MimeMultipart) message.getContent();
            assertThat(multipart.isComplete()).isTrue();
            List<MimeBodyPart> parts = new ArrayList<>();
            for (int i = 0; i < multipart.getCount(); i++) {
                parts.add((MimeBodyPart) multipart.getBodyPart(i));
            }
            assertThat(parts.get(0).isMimeType("text/plain")).isTrue();
            assertThat(parts.get(1).isMimeType("message/delivery-status")
                    || parts.get(1).isMimeType("message/global-delivery-status")).isTrue();
            return new Parsed(message, parts, blocks(parts.get(1)));
        } catch (MessagingException | IOException e) {
            throw new AssertionError("not readable as mail", e);
        }
    }

    String header(String name) {
        try {
            return message.getHeader(name, null) == null ? "" : MimeUtility.unfold(message.getHeader(name, null));
        } catch (MessagingException e) {
            throw new AssertionError(e);
        }
    }

    List<String> headerNames() {
        try {
            return Collections.list(message.getAllHeaders()).stream().map(Header::getName).toList();
        } catch (MessagingException e) {
            throw new AssertionError(e);
        }
    }

    String text() {
        return new String(decoded(0), StandardCharsets.UTF_8);
    }

    /// The part's content after its transfer encoding is taken off.
    byte[] decoded(int part) {
        try (InputStream raw = parts.get(part).getRawInputStream()) {
            String encoding = parts.get(part).getEncoding();
            return (encoding == null ? raw : MimeUtility.decode(raw, encoding)).readAllBytes();
        } catch (MessagingException | IOException e) {
            throw new AssertionError(e);
        }
    }

    String type(int part) {
        try {
            return new ContentType(parts.get(part).getContentType()).getBaseType();
        } catch (MessagingException e) {
            throw new AssertionError(e);
        }
    }

    String encoding(int part) {
        try {
            return parts.get(part).getEncoding() == null ? "7bit" : parts.get(part).getEncoding();
        } catch (MessagingException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Map<String, String>> blocks(MimeBodyPart status) throws MessagingException, IOException {
        List<Map<String, String>> blocks = new ArrayList<>();
        try (InputStream in = status.getRawInputStream()) {
            while (in.available() > 0) {
                Map<String, String> block = new LinkedHashMap<>();
                for (Header field : Collections.list(new InternetHeaders(in).getAllHeaders())) {
                    assertThat(block.put(field.getName(), MimeUtility.unfold(field.getValue())))
                            .as("second field " + field.getName()).isNull();
                }
                blocks.add(block);
            }
        }
        return blocks;
    }
}
