package org.slipstream.inject;

import org.slipstream.inject.MailRequest.Mailbox;
import org.slipstream.inject.MessageJson.MailingRecipient;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// The first line of a mailing: a message whose texts have places for the values of each recipient. Immutable.
final class MailingTemplate {
    /// The longest escape of a character, `&quot;`.
    private static final int LONGEST_ESCAPE = 6;

    private final MailRequest request;
    private final TemplateText author;
    private final TemplateText subject;
    private final Optional<TemplateText> text;
    private final Optional<TemplateText> html;
    private final Map<String, TemplateText> headers = new LinkedHashMap<>();
    private final long attachedOctets;
    private final long mostOctets;

    /// @param mostOctets of a message
    MailingTemplate(MailRequest request, long mostOctets) {
        this.request = request;
        this.mostOctets = mostOctets;
        author = TemplateText.of(request.from().name());
        subject = TemplateText.of(request.subject());
        text = request.text().map(TemplateText::of);
        html = request.html().map(TemplateText::of);
        request.headers().forEach((name, value) -> headers.put(name, TemplateText.of(value)));
        attachedOctets = request.attachments().stream().mapToLong(each -> each.content().length).sum();
    }

    MailRequest request() {
        return request;
    }

    /// @throws InjectionFault when the recipient has no value for a place, or its message has no room
    MailRequest filled(MailingRecipient recipient) throws InjectionFault {
        Map<String, String> values = values(recipient);
        Optional<String> missing = texts().flatMap(each -> each.missing(values).stream()).findFirst();
        if (missing.isPresent()) {
            throw InjectionFault.at("/substitutions", "there is no value for {{" + missing.get() + "}}");
        }
        if (octets(values) > mostOctets) {
            throw InjectionFault.of(413, "the message of this recipient has more than " + mostOctets + " octets");
        }
        Map<String, String> fields = new LinkedHashMap<>();
        for (Map.Entry<String, TemplateText> field : headers.entrySet()) {
            fields.put(field.getKey(), MessageJson.fieldText("/substitutions",
                    field.getValue().fill(values, UnaryOperator.identity()), MessageJson.MOST_FIELD));
        }
        return request.of(
                new Mailbox(line(author, values, MessageJson.MOST_NAME), request.from().address()), recipient.to(),
                line(subject, values, MessageJson.MOST_FIELD),
                text.map(each -> each.fill(values, UnaryOperator.identity())),
                html.map(each -> each.fill(values, MailingTemplate::escaped)), fields,
                recipient.data().isEmpty() ? request.data() : recipient.data(),
                recipient.envelopeId().or(request::envelopeId));
    }

    /// Memory of the message of a recipient, at least.
    long octets(MailingRecipient recipient) {
        return octets(values(recipient));
    }

    private long octets(Map<String, String> values) {
        return attachedOctets + text.map(each -> each.length(values, 1)).orElse(0L)
                + html.map(each -> each.length(values, LONGEST_ESCAPE)).orElse(0L);
    }

    private Map<String, String> values(MailingRecipient recipient) {
        if (request.substitutions().isEmpty()) {
            return recipient.substitutions();
        }
        Map<String, String> values = new HashMap<>(request.substitutions());
        values.putAll(recipient.substitutions());
        return values;
    }

    private Stream<TemplateText> texts() {
        return Stream.of(Stream.of(author, subject), text.stream(), html.stream(), headers.values().stream())
                .flatMap(each -> each);
    }

    private static String line(TemplateText text, Map<String, String> values, int most) throws InjectionFault {
        return MessageJson.fieldText("/substitutions", text.fill(values, UnaryOperator.identity()), most);
    }

    private static String escaped(String value) {
        StringBuilder html = new StringBuilder(value.length() + 16);
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '&' -> html.append("&amp;");
                case '<' -> html.append("&lt;");
                case '>' -> html.append("&gt;");
                case '"' -> html.append("&quot;");
                case '\'' -> html.append("&#39;");
                default -> html.append(c);
            }
        }
        return html.toString();
    }
}
