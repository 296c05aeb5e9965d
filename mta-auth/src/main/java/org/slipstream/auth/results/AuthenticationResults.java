package org.slipstream.auth.results;

import java.util.List;
import java.util.regex.Pattern;

/// Writes the field (RFC 8601 section 2.2).
///
/// A value that is not a token or an address becomes a quoted string, in which quotes and backslashes
/// are escaped. Controls and characters outside ASCII become question marks, so no value ends its
/// string, its line or the field. Comments are not written: readers disagree about them.
public final class AuthenticationResults {
    public static final String NAME = "Authentication-Results";
    /// More results of one message are left out.
    private static final int MOST_RESULTS = 40;
    private static final int MOST_PROPERTIES = 10;
    private static final int LONGEST_VALUE = 320;
    /// Of a line (RFC 5322 section 2.1.1).
    private static final int COLUMNS = 78;
    private static final String FOLD = "\r\n\t";

    // RFC 2045 section 5.1: token; RFC 8601: a pvalue may also be an address of dot-atoms, or "@" and
    // a domain.
    private static final String TOKEN = "[A-Za-z0-9!#$%&'*+.^_`{|}~-]";
    private static final Pattern PLAIN = Pattern.compile(TOKEN + "++(?:@[A-Za-z0-9_.-]++)?");

    private AuthenticationResults() {}

    /// The value of the field, folded, without its name and the last line end.
    ///
    /// @param authservId our name
    public static String value(String authservId, List<MethodResult> results) {
        StringBuilder out = new StringBuilder(text(authservId));
        if (results.isEmpty()) {
            return out.append("; none").toString();
        }
        results.stream().limit(MOST_RESULTS).forEach(each -> write(each, out.append(';').append(FOLD)));
        return out.toString();
    }

    private static void write(MethodResult result, StringBuilder out) {
        String first = result.method() + "=" + result.result();
        out.append(first);
        int column = first.length() + 1;
        if (result.reason().isPresent()) {
            column = append(out, column, "reason=" + quoted(result.reason().get()));
        }
        for (MethodResult.Property each : result.properties().stream().limit(MOST_PROPERTIES).toList()) {
            column = append(out, column, each.name() + "=" + text(each.value()));
        }
    }

    /// Returns the column behind the text.
    private static int append(StringBuilder out, int column, String text) {
        boolean fits = column + 1 + text.length() < COLUMNS;
        out.append(fits ? " " : FOLD + "\t").append(text);
        return fits ? column + 1 + text.length() : 2 + text.length();
    }

    private static String text(String value) {
        return value.length() <= LONGEST_VALUE && PLAIN.matcher(value).matches() ? value : quoted(value);
    }

    private static String quoted(String value) {
        StringBuilder out = new StringBuilder("\"");
        value.codePoints().limit(LONGEST_VALUE).forEach(c -> {
            if (c == '"' || c == '\\') {
                out.append('\\');
            }
            out.append(c >= ' ' && c <= '~' ? (char) c : '?');
        });
        return out.append('"').toString();
    }
}
