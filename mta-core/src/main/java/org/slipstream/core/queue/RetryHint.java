package org.slipstream.core.queue;

import org.slipstream.core.Reply;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the retry delay that a peer names in the text of its 4xx reply.
///
/// SMTP has no field for it, so servers phrase it freely. These forms are recognized, in any case:
///
/// | Text | Seconds |
/// |---|---|
/// | `try again in 5 minutes` | 300 |
/// | `retry after 300 seconds` | 300 |
/// | `retry in 300s` | 300 |
/// | `please try again in about 1 hour` | 3,600 |
/// | `retry after 300`: a number without a unit is seconds | 300 |
/// | `try again in 00:05:00`: hours, minutes, seconds | 300 |
///
/// The first one in a reply counts. A delay of more than a day counts as a day, because the peer
/// must not hold mail here for longer than its sender may wait for news of it.
public final class RetryHint {
    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    private static final Pattern FORM = Pattern.compile(
            "\\b(?:try again|retry) (?:in|after) (?:about |at least )?"
                    + "(?:(\\d{1,2}):([0-5]\\d):([0-5]\\d)(?![\\d:])|(\\d{1,9})(?![\\d:./-]*\\d) ?([a-z]*))");

    private RetryHint() {}

    /// Empty when the reply is not 4xx or names no delay.
    public static OptionalLong millis(Reply reply) {
        Matcher match = FORM.matcher(reply.text().toLowerCase(Locale.ROOT));
        return reply.isTransient() && match.find()
                ? OptionalLong.of(Math.min(millis(match), DAY))
                : OptionalLong.empty();
    }

    private static long millis(Matcher match) {
        return match.group(4) == null
                ? HOUR * number(match, 1) + MINUTE * number(match, 2) + SECOND * number(match, 3)
                : unitMillis(match.group(5)) * number(match, 4);
    }

    private static long number(Matcher match, int group) {
        return Long.parseLong(match.group(group));
    }

    private static long unitMillis(String word) {
        return switch (word) {
            case "m", "min", "mins", "minute", "minutes" -> MINUTE;
            case "h", "hr", "hrs", "hour", "hours" -> HOUR;
            case "d", "day", "days" -> DAY;
            default -> SECOND;
        };
    }
}
