package org.slipstream.smtpin.command;

import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Reply;
import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.Controls;
import org.slipstream.core.text.Xtext;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Interprets the parameters of one MAIL or RCPT up to the first error. Used once.
final class ParameterReader {
    // RFC 2852 section 4: by-value = by-time ";" by-mode [ by-trace ].
    private static final Pattern BY = Pattern.compile("([+-]?[0-9]{1,9});([NR])(T?)", Pattern.CASE_INSENSITIVE);
    // RFC 6710 section 3: priority-value = (["-"] %x31-39) / "0".
    private static final Pattern PRIORITY = Pattern.compile("-?[1-9]|0");
    // RFC 6533 section 3: EmbeddedUnicodeChar = "\x{" hexpoint "}".
    private static final Pattern EMBEDDED = Pattern.compile("\\\\x\\{([0-9A-F]{2,6})}");
    private static final int ENVELOPE_ID_CHARS = 100;
    private static final int ORIGINAL_CHARS = 500;

    private final Map<String, Extension> used = new LinkedHashMap<>();
    private Optional<Reply> wrong = Optional.empty();

    private long declaredBytes;
    private Optional<BodyType> body = Optional.empty();
    private boolean smtpUtf8;
    private DsnReturn returns = DsnReturn.UNSPECIFIED;
    private Optional<String> envelopeId = Optional.empty();
    private boolean requireTls;
    private Optional<MailParameters.Hold> hold = Optional.empty();
    private Optional<MailParameters.DeliverByParameter> deliverBy = Optional.empty();
    private OptionalInt priority = OptionalInt.empty();
    private Optional<String> originator = Optional.empty();
    private Set<DsnNotify> notifyOn = Set.of();
    private Optional<String> original = Optional.empty();

    private ParameterReader() {}

    static ParameterReader mail(List<Parameter> parameters) {
        ParameterReader reader = new ParameterReader();
        for (Parameter parameter : parameters) {
            reader.mail(parameter);
        }
        return reader;
    }

    static ParameterReader rcpt(List<Parameter> parameters) {
        ParameterReader reader = new ParameterReader();
        for (Parameter parameter : parameters) {
            reader.rcpt(parameter);
        }
        return reader;
    }

    /// The reply to the first error.
    Optional<Reply> wrong() {
        return wrong;
    }

    MailParameters forMail() {
        return used.isEmpty()
                ? MailParameters.NONE
                : new MailParameters(declaredBytes, body, smtpUtf8, returns, envelopeId, requireTls, hold, deliverBy,
                        priority, originator, used);
    }

    RcptParameters forRcpt() {
        return used.isEmpty() ? RcptParameters.NONE : new RcptParameters(notifyOn, original, used);
    }

    private void mail(Parameter parameter) {
        String value = parameter.value();
        switch (parameter.keyword()) {
            case "SIZE" -> size(value);
            case "BODY" -> body(value);
            case "SMTPUTF8" -> smtpUtf8 = flag(parameter, Extension.SMTPUTF8);
            case "RET" -> returns(value);
            case "ENVID" -> envelopeId(value);
            case "REQUIRETLS" -> requireTls = flag(parameter, Extension.REQUIRETLS);
            case "HOLDFOR" -> holdFor(value);
            case "HOLDUNTIL" -> holdUntil(value);
            case "BY" -> deliverBy(value);
            case "MT-PRIORITY" -> priority(value);
            case "AUTH" -> originator(value);
            default -> unknown(parameter);
        }
    }

    private void rcpt(Parameter parameter) {
        switch (parameter.keyword()) {
            case "NOTIFY" -> notifyOn(parameter.value());
            case "ORCPT" -> original(parameter.value());
            default -> unknown(parameter);
        }
    }

    // RFC 1870 section 3.
    private void size(String value) {
        OptionalLong size = number(value);
        if (size.isEmpty()) {
            syntax("SIZE=number");
        } else {
            declaredBytes = size.getAsLong();
            used.put("SIZE", Extension.SIZE);
        }
    }

    // RFC 6152 section 2, RFC 3030 section 3.
    private void body(String value) {
        switch (Ascii.upper(value)) {
            case "7BIT" -> body(BodyType.SEVEN_BIT, Extension.EIGHT_BIT_MIME);
            case "8BITMIME" -> body(BodyType.EIGHT_BIT_MIME, Extension.EIGHT_BIT_MIME);
            case "BINARYMIME" -> body(BodyType.BINARY_MIME, Extension.BINARY_MIME);
            default -> syntax("BODY=7BIT or BODY=8BITMIME");
        }
    }

    private void body(BodyType type, Extension extension) {
        body = Optional.of(type);
        used.put("BODY", extension);
    }

    // RFC 3461 section 4.3.
    private void returns(String value) {
        switch (Ascii.upper(value)) {
            case "FULL" -> returns = DsnReturn.FULL;
            case "HDRS" -> returns = DsnReturn.HEADERS;
            default -> syntax("RET=FULL or RET=HDRS");
        }
        used.put("RET", Extension.DSN);
    }

    // RFC 3461 section 4.4: up to 100 characters of xtext whose meaning is printable ASCII.
    private void envelopeId(String value) {
        envelopeId = value.length() > ENVELOPE_ID_CHARS
                ? Optional.empty()
                : Xtext.decode(value).filter(id -> !id.isEmpty() && id.chars().allMatch(c -> c >= ' ' && c <= '~'));
        used.put("ENVID", Extension.DSN);
        if (envelopeId.isEmpty()) {
            syntax("ENVID=xtext");
        }
    }

    // RFC 4865 section 4: holdfor = "HOLDFOR=" 1*9DIGIT, and not 0; one of the two at most.
    private void holdFor(String value) {
        OptionalLong seconds = value.length() > 9 ? OptionalLong.empty() : number(value);
        if (seconds.isEmpty() || seconds.getAsLong() == 0) {
            syntax("HOLDFOR=seconds");
        } else {
            hold("HOLDFOR", new MailParameters.Hold.For(seconds.getAsLong()));
        }
    }

    private void holdUntil(String value) {
        try {
            Instant time = OffsetDateTime.parse(value).toInstant();
            hold("HOLDUNTIL", new MailParameters.Hold.Until(time));
        } catch (DateTimeException noTime) {
            syntax("HOLDUNTIL=date-time");
        }
    }

    private void hold(String keyword, MailParameters.Hold one) {
        if (hold.isPresent()) {
            syntax("HOLDFOR or HOLDUNTIL, not both");
        }
        hold = Optional.of(one);
        used.put(keyword, Extension.FUTURE_RELEASE);
    }

    private void deliverBy(String value) {
        Matcher by = BY.matcher(value);
        boolean valid = by.matches();
        // Section 4: a message that is returned when late must not be late already.
        boolean returned = valid && Ascii.same(by.group(2), "R");
        long seconds = valid ? Long.parseLong(by.group(1)) : 0;
        if (!valid || returned && seconds <= 0) {
            syntax("BY=seconds;R or BY=seconds;N");
        } else {
            deliverBy = Optional.of(new MailParameters.DeliverByParameter(seconds, returned, !by.group(3).isEmpty()));
            used.put("BY", Extension.DELIVER_BY);
        }
    }

    private void priority(String value) {
        if (PRIORITY.matcher(value).matches()) {
            priority = OptionalInt.of(Integer.parseInt(value));
            used.put("MT-PRIORITY", Extension.MT_PRIORITY);
        } else {
            syntax("MT-PRIORITY=-9 to 9");
        }
    }

    // RFC 4954 section 5: a mailbox or `<>`, as xtext.
    private void originator(String value) {
        originator = Xtext.decode(value).filter(text -> !text.isEmpty() && text.length() <= ORIGINAL_CHARS);
        used.put("AUTH", Extension.AUTH);
        if (originator.isEmpty()) {
            syntax("AUTH=mailbox");
        }
    }

    // RFC 3461 section 4.1: NEVER alone, or a list of the others.
    private void notifyOn(String value) {
        Set<DsnNotify> wanted = EnumSet.noneOf(DsnNotify.class);
        boolean valid = true;
        for (String word : Ascii.upper(value).split(",", -1)) {
            switch (word) {
                case "NEVER" -> wanted.add(DsnNotify.NEVER);
                case "SUCCESS" -> wanted.add(DsnNotify.SUCCESS);
                case "FAILURE" -> wanted.add(DsnNotify.FAILURE);
                case "DELAY" -> wanted.add(DsnNotify.DELAY);
                default -> valid = false;
            }
        }
        if (!valid || wanted.size() > 1 && wanted.contains(DsnNotify.NEVER)) {
            syntax("NOTIFY=NEVER or NOTIFY=SUCCESS,FAILURE,DELAY");
        }
        notifyOn = wanted;
        used.put("NOTIFY", Extension.DSN);
    }

    // RFC 3461 section 4.2: original-recipient-address = addr-type ";" xtext, up to 500 characters;
    // RFC 6533 section 3 for `utf-8`.
    private void original(String value) {
        int semicolon = value.indexOf(';');
        String type = Ascii.lower(value.substring(0, Math.max(0, semicolon)));
        String encoded = value.substring(semicolon + 1);
        Optional<String> address = (type.equals("utf-8") ? utf8(encoded) : Xtext.decode(encoded))
                .filter(text -> !text.isEmpty() && !Controls.in(text));
        boolean valid = value.length() <= ORIGINAL_CHARS && type.matches("[a-z0-9-]+") && address.isPresent();
        used.put("ORCPT", Extension.DSN);
        if (valid) {
            original = Optional.of(type + ";" + address.get());
        } else {
            syntax("ORCPT=type;address");
        }
    }

    private static Optional<String> utf8(String encoded) {
        return Xtext.decodeInternational(encoded).map(text -> EMBEDDED.matcher(text)
                .replaceAll(point -> Matcher.quoteReplacement(character(point.group(1)))));
    }

    private static String character(String hexadecimal) {
        int point = Integer.parseInt(hexadecimal, 16);
        return Character.isValidCodePoint(point) ? Character.toString(point) : "\ufffd";
    }

    private boolean flag(Parameter parameter, Extension extension) {
        if (!parameter.value().isEmpty()) {
            syntax(parameter.keyword() + " without a value");
        }
        used.put(parameter.keyword(), extension);
        return true;
    }

    // RFC 5321 section 4.1.1.11.
    private void unknown(Parameter parameter) {
        wrong(unrecognized(parameter.keyword()));
    }

    static Reply unrecognized(String keyword) {
        return Reply.of(555, "5.5.4", "Unsupported option: " + keyword);
    }

    private void syntax(String form) {
        wrong(Reply.of(501, "5.5.4", "Syntax: " + form));
    }

    private void wrong(Reply reply) {
        if (wrong.isEmpty()) {
            wrong = Optional.of(reply);
        }
    }

    // RFC 1870 section 3: one to twenty digits. Twenty digits may exceed a long; they exceed every
    // limit as well.
    static OptionalLong number(String digits) {
        if (digits.isEmpty() || digits.length() > 20 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(digits.length() > 18 ? Long.MAX_VALUE : Long.parseLong(digits));
    }
}
