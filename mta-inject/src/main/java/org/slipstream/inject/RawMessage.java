package org.slipstream.inject;

import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import org.slipstream.core.Address;
import org.slipstream.core.text.Ascii;
import org.slipstream.inject.InjectionTarget.MessageParts;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A message in the form of RFC 5322, as a program or a library has composed it. Its envelope is in the query, `from`
/// and `to`; one that is missing there is taken from the header, as `sendmail -t` does. Its field `Bcc` is not sent.
final class RawMessage {
    private static final int MOST_FIELD_OCTETS = 64 << 10;

    private final byte[] octets;
    private final int headerEnd;

    RawMessage(byte[] octets) {
        this.octets = octets;
        this.headerEnd = headerEnd(octets);
    }

    /// @param query `from`, `to` (each may stand several times), `envelopeId`
    /// @param mostRecipients of the message
    MessageParts parts(Map<String, List<String>> query, String data, int mostRecipients) throws InjectionFault {
        Optional<String> given = one(query, "from");
        List<Address> authors = given.isPresent()
                ? List.of(MessageJson.mailbox("from", given.get()).address())
                : addresses("from");
        if (authors.isEmpty()) {
            throw InjectionFault.at("from", "there is no sender, neither in the query nor in the field From");
        }
        Address sender = authors.getFirst();
        Set<Address> recipients = new LinkedHashSet<>();
        for (String to : query.getOrDefault("to", List.of())) {
            recipients.add(MessageJson.mailbox("to", to).address());
        }
        if (recipients.isEmpty()) {
            for (String field : List.of("to", "cc", "bcc")) {
                recipients.addAll(addresses(field));
            }
        }
        if (recipients.isEmpty()) {
            throw InjectionFault.at("to", "there is no recipient, neither in the query nor in the header");
        }
        if (recipients.size() > mostRecipients) {
            throw InjectionFault.at("to", "a message has at most " + mostRecipients + " recipients");
        }
        byte[] content = withoutBcc();
        boolean utf8 = sender.isInternational() || recipients.stream().anyMatch(Address::isInternational)
                || !Ascii.is(new String(octets, 0, headerEnd, StandardCharsets.ISO_8859_1));
        return new MessageParts(sender, List.copyOf(recipients), utf8, one(query, "envelopeId"), data,
                out -> out.write(content));
    }

    private static Optional<String> one(Map<String, List<String>> query, String name) {
        return query.getOrDefault(name, List.of()).stream().findFirst();
    }

    /// Behind the last line of the header; the empty line does not belong to it.
    private static int headerEnd(byte[] octets) {
        int line = 0;
        for (int at = 0; at < octets.length; at++) {
            if (octets[at] == '\n') {
                if (at == line || at == line + 1 && octets[line] == '\r') {
                    return line;
                }
                line = at + 1;
            }
        }
        return octets.length;
    }

    private int lineEnd(int from) {
        int at = from;
        while (at < headerEnd && octets[at] != '\n') {
            at++;
        }
        return Math.min(at + 1, headerEnd);
    }

    /// The end of the field that begins there, with its folded lines.
    private int fieldEnd(int from) {
        int end = lineEnd(from);
        while (end < headerEnd && (octets[end] == ' ' || octets[end] == '\t')) {
            end = lineEnd(end);
        }
        return end;
    }

    private boolean isNamed(int from, int end, String name) {
        int colon = from + name.length();
        while (colon < end && (octets[colon] == ' ' || octets[colon] == '\t')) {
            colon++;
        }
        return colon < end && octets[colon] == ':' && new String(octets, from, name.length(),
                StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT).equals(name);
    }

    private List<Address> addresses(String field) throws InjectionFault {
        List<Address> all = new ArrayList<>();
        for (int at = 0; at < headerEnd; at = fieldEnd(at)) {
            int end = fieldEnd(at);
            if (isNamed(at, end, field)) {
                if (end - at > MOST_FIELD_OCTETS) {
                    throw InjectionFault.at(field, "the field is longer than " + MOST_FIELD_OCTETS + " octets");
                }
                String text = new String(octets, at, end - at, StandardCharsets.UTF_8);
                all.addAll(parsed(field, text.substring(text.indexOf(':') + 1)));
            }
        }
        return all;
    }

    private static List<Address> parsed(String field, String text) throws InjectionFault {
        List<Address> all = new ArrayList<>();
        try {
            for (InternetAddress each : InternetAddress.parseHeader(text, true)) {
                if (!each.isGroup()) {
                    all.add(MessageJson.mailbox(field, String.valueOf(each.getAddress())).address());
                }
            }
        } catch (AddressException e) {
            throw InjectionFault.at(field, "the field cannot be read: " + e.getMessage());
        }
        return all;
    }

    private byte[] withoutBcc() {
        ByteArrayOutputStream rest = new ByteArrayOutputStream(octets.length);
        for (int at = 0; at < headerEnd; at = fieldEnd(at)) {
            if (!isNamed(at, fieldEnd(at), "bcc")) {
                rest.write(octets, at, fieldEnd(at) - at);
            }
        }
        rest.write(octets, headerEnd, octets.length - headerEnd);
        return rest.toByteArray();
    }
}
