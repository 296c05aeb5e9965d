package org.slipstream.inject;

import org.slipstream.core.Address;
import org.slipstream.core.text.Controls;
import org.slipstream.inject.InjectionTarget.InjectionLimits;
import org.slipstream.inject.MailRequest.AttachedFile;
import org.slipstream.inject.MailRequest.Mailbox;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Reads the JSON of a message and of a recipient of a mailing, as a stream: attachments are decoded while they come.
///
/// **Nothing that is read can end a header field.** Texts of the header have no control character, names of fields are
/// tokens, and the fields that this server or the form of the message owns cannot be given. An unknown name is an
/// error, because it is most often a slip.
final class MessageJson {
    static final int MOST_FIELD = 2_000;
    static final int MOST_NAME = 200;
    private static final int MOST_HEADERS = 50;
    private static final int MOST_ATTACHMENTS = 100;
    private static final int MOST_DATA_KEYS = 16;
    static final int MOST_DATA_OCTETS = 1024;
    private static final int MOST_SUBSTITUTIONS = 200;
    private static final int MOST_VALUE = 64 << 10;
    private static final int MOST_ADDRESS = 400;
    private static final int LOCAL_PART_OCTETS = 64;
    private static final int ADDRESS_OCTETS = 254;
    private static final int MOST_ENVELOPE_ID = 100;
    private static final int MOST_DEPTH = 4;
    private static final int MOST_NUMBER = 100;
    private static final int MOST_KEY = 256;
    private static final Pattern FIELD_NAME = Pattern.compile("[!-9;-~]{1,76}");
    private static final Pattern TYPE = Pattern.compile(
            "[a-zA-Z0-9][a-zA-Z0-9.+_-]{0,60}/[a-zA-Z0-9][a-zA-Z0-9.+_-]{0,100}"
                    + "(;[ ]?[a-zA-Z0-9-]{1,40}=(\"[a-zA-Z0-9 ./_+-]{0,80}\"|[a-zA-Z0-9./_+-]{1,80})){0,5}");
    private static final Pattern INLINE_ID = Pattern.compile("[A-Za-z0-9._+-]{1,64}(@[A-Za-z0-9.-]{1,100})?");
    private static final Pattern MESSAGE_ID = Pattern.compile("<[!-;=?-~]{1,120}@[!-;=?A-~]{1,120}>");
    /// Fields of the form of the message, of this server, and of servers on the way.
    private static final Set<String> OWNED = Set.of("from", "sender", "to", "cc", "bcc", "reply-to", "subject", "date",
            "mime-version", "received", "return-path", "delivered-to", "x-original-to", "authentication-results",
            "received-spf", "dkim-signature", "domainkey-signature");
    private static final List<String> OWNED_BEGINNINGS = List.of("content-", "resent-", "arc-");

    /// One recipient of a mailing.
    record MailingRecipient(Mailbox to, Map<String, String> substitutions, String data, Optional<String> envelopeId) {}

    private final InjectionLimits limits;
    private final JsonFactory json;

    MessageJson(InjectionLimits limits) {
        this.limits = limits;
        int text = (int) Math.min(Integer.MAX_VALUE, limits.messageBytes() * 3 / 2 + (64 << 10));
        this.json = JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MOST_DEPTH)
                        .maxStringLength(text).maxNumberLength(MOST_NUMBER).maxNameLength(MOST_KEY).build())
                .build();
    }

    /// @param mailing a template: it has no recipients
    MailRequest message(InputStream body, boolean mailing) throws InjectionFault, IOException {
        return read(body, parser -> message(parser, mailing));
    }

    MailingRecipient recipient(InputStream line) throws InjectionFault, IOException {
        return read(line, MessageJson::recipient);
    }

    /// Data that is not in the body of a request.
    String data(String text) throws InjectionFault, IOException {
        return read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                parser -> data(parser, "data"));
    }

    private interface Reading<T> {
        T read(JsonParser parser) throws InjectionFault, IOException;
    }

    private <T> T read(InputStream in, Reading<T> reading) throws InjectionFault, IOException {
        try (JsonParser parser = json.createParser(ObjectReadContext.empty(), in)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw InjectionFault.of(400, "the body is not a JSON object");
            }
            T result = reading.read(parser);
            if (parser.nextToken() != null) {
                throw InjectionFault.of(400, "there is more behind the JSON object");
            }
            return result;
        } catch (JacksonIOException e) {
            throw e.getCause();
        } catch (StreamConstraintsException e) {
            throw InjectionFault.of(413, "the JSON exceeds a limit: " + e.getOriginalMessage());
        } catch (JacksonException e) {
            throw InjectionFault.of(400, "the JSON is not valid: " + e.getOriginalMessage() + place(e));
        }
    }

    private static String place(JacksonException e) {
        return e.getLocation() == null
                ? ""
                : " (line " + e.getLocation().getLineNr() + ", column " + e.getLocation().getColumnNr() + ")";
    }

    // ---- a message

    private MailRequest message(JsonParser in, boolean mailing) throws InjectionFault, IOException {
        Optional<Mailbox> from = Optional.empty();
        Optional<Address> envelopeFrom = Optional.empty();
        Map<String, List<Mailbox>> people = new LinkedHashMap<>();
        String subject = "";
        Optional<String> text = Optional.empty();
        Optional<String> html = Optional.empty();
        Map<String, String> headers = Map.of();
        List<AttachedFile> attachments = List.of();
        String data = "";
        Optional<String> envelopeId = Optional.empty();
        Map<String, String> substitutions = Map.of();
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = in.currentName();
            in.nextToken();
            switch (name) {
                case "from" -> from = Optional.of(mailbox(in, "/from"));
                case "envelopeFrom" -> envelopeFrom = Optional.of(mailbox(in, "/envelopeFrom").address());
                case "to", "cc", "bcc" -> {
                    if (mailing) {
                        throw InjectionFault.at("/" + name, "the recipients of a mailing have lines of their own");
                    }
                    people.put(name, mailboxes(in, "/" + name, limits.recipients()));
                }
                case "replyTo" -> people.put(name, mailboxes(in, "/replyTo", 10));
                case "subject" -> subject = field(in, "/subject", MOST_FIELD);
                case "text" -> text = Optional.of(body(in, "/text"));
                case "html" -> html = Optional.of(body(in, "/html"));
                case "headers" -> headers = headers(in);
                case "attachments" -> attachments = attachments(in);
                case "data" -> data = data(in, "/data");
                case "envelopeId" -> envelopeId = Optional.of(envelopeId(in));
                case "substitutions" -> {
                    if (!mailing) {
                        throw InjectionFault.at("/substitutions",
                                "substitutions belong to a mailing (application/x-ndjson)");
                    }
                    substitutions = substitutions(in);
                }
                default -> throw unknown("/" + name);
            }
        }
        Mailbox author = from.orElseThrow(() -> InjectionFault.at("/from", "there is no sender"));
        if (text.isEmpty() && html.isEmpty()) {
            throw InjectionFault.at("/text", "there is neither text nor html");
        }
        MailRequest request = new MailRequest(author, envelopeFrom, people.getOrDefault("to", List.of()),
                people.getOrDefault("cc", List.of()), people.getOrDefault("bcc", List.of()),
                people.getOrDefault("replyTo", List.of()), subject, text, html, headers, attachments, data, envelopeId,
                substitutions);
        int count = request.to().size() + request.cc().size() + request.bcc().size();
        if (!mailing && count == 0) {
            throw InjectionFault.at("/to", "there is no recipient");
        }
        if (count > limits.recipients()) {
            throw InjectionFault.at("/to", "a message has at most " + limits.recipients() + " recipients");
        }
        return request;
    }

    private static MailingRecipient recipient(JsonParser in) throws InjectionFault {
        Optional<Mailbox> to = Optional.empty();
        Map<String, String> substitutions = Map.of();
        String data = "";
        Optional<String> envelopeId = Optional.empty();
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = in.currentName();
            in.nextToken();
            switch (name) {
                case "to" -> to = Optional.of(mailbox(in, "/to"));
                case "substitutions" -> substitutions = substitutions(in);
                case "data" -> data = data(in, "/data");
                case "envelopeId" -> envelopeId = Optional.of(envelopeId(in));
                default -> throw unknown("/" + name);
            }
        }
        return new MailingRecipient(to.orElseThrow(() -> InjectionFault.at("/to", "there is no recipient")),
                substitutions, data, envelopeId);
    }

    private static InjectionFault unknown(String pointer) {
        return InjectionFault.at(pointer, "there is no such field");
    }

    // ---- addresses

    private static List<Mailbox> mailboxes(JsonParser in, String pointer, int most) throws InjectionFault {
        if (in.currentToken() == JsonToken.VALUE_STRING) {
            return List.of(mailbox(in, pointer));
        }
        if (in.currentToken() != JsonToken.START_ARRAY) {
            throw InjectionFault.at(pointer, "this must be a text or a list of texts");
        }
        List<Mailbox> all = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            if (all.size() == most) {
                throw InjectionFault.at(pointer, "at most " + most + " addresses are possible");
            }
            all.add(mailbox(in, pointer + "/" + all.size()));
        }
        return List.copyOf(all);
    }

    private static Mailbox mailbox(JsonParser in, String pointer) throws InjectionFault {
        return mailbox(pointer, field(in, pointer, MOST_ADDRESS + MOST_NAME));
    }

    /// @param text `address` or `Name <address>`
    static Mailbox mailbox(String pointer, String text) throws InjectionFault {
        String whole = text.strip();
        int open = whole.endsWith(">") ? whole.lastIndexOf('<') : -1;
        String address = open < 0 ? whole : whole.substring(open + 1, whole.length() - 1);
        String name = open < 0 ? "" : whole.substring(0, open).strip();
        if (name.length() > 1 && name.startsWith("\"") && name.endsWith("\"")) {
            name = name.substring(1, name.length() - 1).replace("\\\"", "\"").replace("\\\\", "\\");
        }
        if (name.length() > MOST_NAME) {
            throw InjectionFault.at(pointer, "a name has at most " + MOST_NAME + " characters");
        }
        Address parsed = Address.parse(address).filter(MessageJson::isShort)
                .orElseThrow(() -> InjectionFault.at(pointer, "\"" + cut(address) + "\" is not an address"));
        return new Mailbox(name, parsed);
    }

    /// RFC 5321 section 4.5.3.1.1.
    private static boolean isShort(Address address) {
        return address.localPart().getBytes(StandardCharsets.UTF_8).length <= LOCAL_PART_OCTETS
                && address.toString().getBytes(StandardCharsets.UTF_8).length <= ADDRESS_OCTETS;
    }

    private static String cut(String text) {
        return text.length() <= MOST_NAME ? text : text.substring(0, MOST_NAME) + "…";
    }

    // ---- texts

    private static String string(JsonParser in, String pointer) throws InjectionFault {
        if (in.currentToken() != JsonToken.VALUE_STRING) {
            throw InjectionFault.at(pointer, "this must be a text");
        }
        return in.getString();
    }

    private static String field(JsonParser in, String pointer, int most) throws InjectionFault {
        return fieldText(pointer, string(in, pointer), most);
    }

    /// The text, which may become a part of the header.
    static String fieldText(String pointer, String text, int most) throws InjectionFault {
        if (text.length() > most) {
            throw InjectionFault.at(pointer, "this text has at most " + most + " characters");
        }
        if (Controls.in(text)) {
            throw InjectionFault.at(pointer, "a text of the header has no control character, such as a line end");
        }
        return text;
    }

    private String body(JsonParser in, String pointer) throws InjectionFault {
        String text = string(in, pointer);
        if (text.length() > limits.messageBytes()) {
            throw InjectionFault.of(413, "a message has at most " + limits.messageBytes() + " octets");
        }
        if (text.indexOf('\0') >= 0) {
            throw InjectionFault.at(pointer, "a text has no NUL");
        }
        return text;
    }

    private static String envelopeId(JsonParser in) throws InjectionFault {
        return envelopeId("/envelopeId", string(in, "/envelopeId"));
    }

    /// RFC 3461 section 4.4: printable US-ASCII.
    static String envelopeId(String pointer, String text) throws InjectionFault {
        if (text.isEmpty() || text.length() > MOST_ENVELOPE_ID || !text.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            throw InjectionFault.at(pointer, "this must be 1 to " + MOST_ENVELOPE_ID + " ASCII characters");
        }
        return text;
    }

    private static Map<String, String> headers(JsonParser in) throws InjectionFault {
        Map<String, String> fields = new LinkedHashMap<>();
        startObject(in, "/headers");
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = in.currentName();
            String pointer = "/headers/" + escaped(name);
            in.nextToken();
            if (fields.size() == MOST_HEADERS) {
                throw InjectionFault.at("/headers", "at most " + MOST_HEADERS + " fields are possible");
            }
            String lower = name.toLowerCase(Locale.ROOT);
            if (!FIELD_NAME.matcher(name).matches()) {
                throw InjectionFault.at(pointer, "this is not the name of a header field");
            }
            if (OWNED.contains(lower) || OWNED_BEGINNINGS.stream().anyMatch(lower::startsWith)) {
                throw InjectionFault.at(pointer, "this field has another place in the request, or the server sets it");
            }
            String value = field(in, pointer, MOST_FIELD);
            if (lower.equals("message-id") && !MESSAGE_ID.matcher(value).matches()) {
                throw InjectionFault.at(pointer, "a Message-ID is <text@text>");
            }
            if (fields.keySet().stream().anyMatch(name::equalsIgnoreCase)) {
                throw InjectionFault.at(pointer, "this field stands twice");
            }
            fields.put(name, value);
        }
        return fields;
    }

    private static Map<String, String> substitutions(JsonParser in) throws InjectionFault {
        Map<String, String> values = new LinkedHashMap<>();
        startObject(in, "/substitutions");
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            String pointer = "/substitutions/" + escaped(in.currentName());
            if (values.size() == MOST_SUBSTITUTIONS) {
                throw InjectionFault.at("/substitutions", "at most " + MOST_SUBSTITUTIONS + " values are possible");
            }
            String name = in.currentName();
            if (!in.nextToken().isScalarValue() || in.currentToken() == JsonToken.VALUE_NULL) {
                throw InjectionFault.at(pointer, "this must be a text, a number, true or false");
            }
            String value = in.getString();
            if (value.length() > MOST_VALUE) {
                throw InjectionFault.at(pointer, "a value has at most " + MOST_VALUE + " characters");
            }
            if (value.indexOf('\0') >= 0) {
                throw InjectionFault.at(pointer, "a value has no NUL");
            }
            values.put(name, value);
        }
        return values;
    }

    /// A flat object, written again in its shortest form.
    private static String data(JsonParser in, String pointer) throws InjectionFault {
        startObject(in, pointer);
        StringWriter text = new StringWriter();
        int count = 0;
        try (JsonGenerator out = JsonText.generator(text)) {
            out.writeStartObject();
            while (in.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = in.currentName();
                count++;
                out.writeName(name);
                switch (in.nextToken()) {
                    case VALUE_STRING -> out.writeString(in.getString());
                    case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> out.writeNumber(in.getString());
                    case VALUE_TRUE -> out.writeBoolean(true);
                    case VALUE_FALSE -> out.writeBoolean(false);
                    case VALUE_NULL -> out.writeNull();
                    default -> throw InjectionFault.at(pointer + "/" + escaped(name),
                            "a value of data is a text, a number, true, false or null");
                }
                if (text.getBuffer().length() > MOST_DATA_OCTETS) {
                    throw tooMuchData(pointer);
                }
            }
            out.writeEndObject();
        }
        if (count > MOST_DATA_KEYS || text.toString().getBytes(StandardCharsets.UTF_8).length > MOST_DATA_OCTETS) {
            throw tooMuchData(pointer);
        }
        return count == 0 ? "" : text.toString();
    }

    private static InjectionFault tooMuchData(String pointer) {
        return InjectionFault.at(pointer,
                "data has at most " + MOST_DATA_KEYS + " keys and " + MOST_DATA_OCTETS + " octets of JSON");
    }

    private static void startObject(JsonParser in, String pointer) throws InjectionFault {
        if (in.currentToken() != JsonToken.START_OBJECT) {
            throw InjectionFault.at(pointer, "this must be an object");
        }
    }

    /// As in a JSON pointer.
    private static String escaped(String name) {
        return cut(name).replace("~", "~0").replace("/", "~1");
    }

    // ---- attachments

    private List<AttachedFile> attachments(JsonParser in) throws InjectionFault {
        if (in.currentToken() != JsonToken.START_ARRAY) {
            throw InjectionFault.at("/attachments", "this must be a list");
        }
        List<AttachedFile> all = new ArrayList<>();
        long octets = 0;
        while (in.nextToken() != JsonToken.END_ARRAY) {
            if (all.size() == MOST_ATTACHMENTS) {
                throw InjectionFault.at("/attachments", "at most " + MOST_ATTACHMENTS + " attachments are possible");
            }
            AttachedFile attachment = attachment(in, "/attachments/" + all.size());
            octets += attachment.content().length;
            if (octets > limits.messageBytes()) {
                throw InjectionFault.of(413, "a message has at most " + limits.messageBytes() + " octets");
            }
            all.add(attachment);
        }
        return all;
    }

    private static AttachedFile attachment(JsonParser in, String pointer) throws InjectionFault {
        startObject(in, pointer);
        Optional<String> file = Optional.empty();
        String type = "application/octet-stream";
        Optional<byte[]> content = Optional.empty();
        Optional<String> inlineId = Optional.empty();
        while (in.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = in.currentName();
            in.nextToken();
            String at = pointer + "/" + name;
            switch (name) {
                case "name" -> file = Optional.of(field(in, at, MOST_NAME));
                case "type" -> type = type(at, field(in, at, MOST_FIELD));
                case "content" -> content = Optional.of(base64(in, at));
                case "inlineId" -> inlineId = Optional.of(inlineId(at, field(in, at, MOST_NAME)));
                default -> throw unknown(pointer + "/" + escaped(name));
            }
        }
        return new AttachedFile(file.orElseThrow(() -> InjectionFault.at(pointer + "/name", "there is no name")), type,
                content.orElseThrow(() -> InjectionFault.at(pointer + "/content", "there is no content")), inlineId);
    }

    /// Parts with parts of their own would hide them from the checks of the content.
    private static String type(String pointer, String type) throws InjectionFault {
        String lower = type.toLowerCase(Locale.ROOT);
        if (!TYPE.matcher(type).matches() || lower.startsWith("multipart/") || lower.startsWith("message/")) {
            throw InjectionFault.at(pointer, "this is not the type of a file, such as image/png");
        }
        return type;
    }

    private static String inlineId(String pointer, String id) throws InjectionFault {
        if (!INLINE_ID.matcher(id).matches()) {
            throw InjectionFault.at(pointer, "an inline id has letters, digits, \".\", \"_\", \"+\" and \"-\"");
        }
        return id;
    }

    private static byte[] base64(JsonParser in, String pointer) throws InjectionFault {
        if (in.currentToken() != JsonToken.VALUE_STRING) {
            throw InjectionFault.at(pointer, "this must be a text in base64");
        }
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        try {
            in.readBinaryValue(octets);
        } catch (StreamConstraintsException | JacksonIOException e) {
            throw e;
        } catch (JacksonException e) {
            throw InjectionFault.at(pointer, "this is not base64");
        }
        return octets.toByteArray();
    }
}
