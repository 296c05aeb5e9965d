package org.slipstream.sink.store;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.InternetHeaders;
import jakarta.mail.internet.MimeUtility;

import java.io.ByteArrayInputStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/// A message that the sink accepted, with its envelope.
///
/// @param id from 1, in the order of arrival
/// @param session the number of the connection
/// @param sender empty for the null sender
/// @param arguments the text after `MAIL FROM:`
public record CaughtMessage(long id, Instant at, long session, String client, String helo, String sender,
        List<String> recipients, String arguments, byte[] content) {
    public CaughtMessage {
        recipients = List.copyOf(recipients);
    }

    CaughtMessage withId(long number) {
        return new CaughtMessage(number, at, session, client, helo, sender, recipients, arguments, content);
    }

    /// The first header field with this name, decoded (RFC 2047); empty when there is none.
    public String header(String name) {
        try {
            String raw = new InternetHeaders(new ByteArrayInputStream(content), true).getHeader(name, null);
            return raw == null ? "" : MimeUtility.decodeText(MimeUtility.unfold(raw));
        } catch (MessagingException | UnsupportedEncodingException unreadable) {
            return "";
        }
    }

    /// Whether envelope, subject or content contain this text, in upper or lower case.
    boolean contains(String text) {
        String wanted = text.toLowerCase(Locale.ROOT);
        return sender.toLowerCase(Locale.ROOT).contains(wanted)
                || recipients.stream().anyMatch(each -> each.toLowerCase(Locale.ROOT).contains(wanted))
                || header("Subject").toLowerCase(Locale.ROOT).contains(wanted)
                || new String(content, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT).contains(wanted);
    }
}
