package org.slipstream.guard.rspamd;

import jakarta.mail.internet.MimeUtility;
import org.slipstream.core.text.Ascii;
import org.slipstream.smtpin.policy.Header;

import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Makes a header field of a name and a value that a filter gave. The field is ASCII, each line ends
/// with CRLF and is short enough for every server, and no value can begin another field.
final class FieldText {
    private static final Pattern NAME = Pattern.compile("[!-9;-~]{1,76}");
    /// RFC 5322 section 2.1.1, without the name.
    private static final int LONGEST_LINE = 998 - 80;

    private FieldText() {}

    /// Empty for a name that is none.
    static Optional<Header.Field> of(String name, String value) {
        return NAME.matcher(name).matches() ? Optional.of(new Header.Field(name, folded(value))) : Optional.empty();
    }

    private static String folded(String value) {
        return Arrays.stream(value.strip().split("\r?\n|\r")).map(String::strip).filter(line -> !line.isEmpty())
                .map(FieldText::line).collect(Collectors.joining("\r\n\t"));
    }

    private static String line(String text) {
        String ascii = Ascii.is(text) ? text : encoded(text);
        String visible = ascii.replaceAll("[\\x00-\\x08\\x0b-\\x1f\\x7f]", "?");
        return visible.replaceAll("(?<=\\G.{" + LONGEST_LINE + "})(?=.)", "\r\n\t");
    }

    /// RFC 2047.
    private static String encoded(String text) {
        try {
            return MimeUtility.encodeText(text, StandardCharsets.UTF_8.name(), null);
        } catch (UnsupportedEncodingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
