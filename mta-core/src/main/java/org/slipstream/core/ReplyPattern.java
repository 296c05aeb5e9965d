package org.slipstream.core;

import org.slipstream.core.text.WholeWords;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// A pattern for replies of other servers: a code, an enhanced status, and words in their order.
///
/// The time for a reply is bounded by its length and the number of words. A regular expression of an
/// administrator against a text of a stranger has no such bound.
///
/// @param code of three digits, an `x` stands for any digit; `*` for any code
/// @param status an enhanced status, an `x` stands for any number; `*` for any, and for none
/// @param words that the text has, in this order, each as whole words, in lower case; empty for any text
public record ReplyPattern(String code, String status, List<String> words) {
    private static final Pattern CODE = Pattern.compile("\\*|[2-5x][0-9x]{2}");
    private static final Pattern STATUS = Pattern.compile("\\*|[245x]\\.(x|\\d{1,3})\\.(x|\\d{1,3})");
    private static final Pattern REPLY = Pattern
            .compile("(?<code>[2-5]\\d\\d)(?:[ -]+|$)(?:(?<status>[245]\\.\\d{1,3}\\.\\d{1,3})(?: +|$))?(?<text>.*)");

    public ReplyPattern {
        words = List.copyOf(words);
    }

    /// Empty when code or status has another form.
    ///
    /// @param text with `*` between words that may have others between them
    public static Optional<ReplyPattern> of(String code, String status, String text) {
        return CODE.matcher(code).matches() && STATUS.matcher(status).matches()
                ? Optional.of(new ReplyPattern(code, status,
                        Arrays.stream(text.toLowerCase(Locale.ROOT).split("\\*")).map(String::strip)
                                .filter(each -> !each.isEmpty()).toList()))
                : Optional.empty();
    }

    /// A reply as it stands in logs and reports; empty for another text.
    public static Optional<Reply> reply(String text) {
        return Optional.of(REPLY.matcher(text.replaceAll("[\\r\\n]+", " ").strip())).filter(match -> match.matches())
                .map(match -> new Reply(Integer.parseInt(match.group("code")),
                        Optional.ofNullable(match.group("status")).flatMap(EnhancedStatus::parse),
                        List.of(match.group("text"))).shortened());
    }

    /// The text of a reply in the form in which [#fits] compares it.
    public static String lower(Reply reply) {
        return reply.text().toLowerCase(Locale.ROOT);
    }

    /// @param text of the reply in lower case
    public boolean fits(Reply reply, String text) {
        return hasCode(reply.code()) && hasStatus(reply.status()) && hasWords(text);
    }

    public boolean hasCode(int number) {
        String digits = Integer.toString(number);
        if (code.equals("*")) {
            return true;
        }
        for (int i = 0; i < code.length(); i++) {
            if (code.charAt(i) != 'x' && code.charAt(i) != digits.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private boolean hasStatus(Optional<EnhancedStatus> reply) {
        if (status.equals("*")) {
            return true;
        }
        if (reply.isEmpty()) {
            return false;
        }
        String[] form = status.split("\\.");
        return isNumber(form[0], reply.get().category()) && isNumber(form[1], reply.get().subject())
                && isNumber(form[2], reply.get().detail());
    }

    private static boolean isNumber(String form, int number) {
        return form.equals("x") || form.equals(Integer.toString(number));
    }

    private boolean hasWords(String text) {
        int from = 0;
        for (String each : words) {
            int at = WholeWords.indexOf(text, each, from);
            if (at < 0) {
                return false;
            }
            from = at + each.length();
        }
        return true;
    }
}
