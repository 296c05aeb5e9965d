package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The time after which a peer wants to be called again, read from the text of its 4xx reply.
///
/// SMTP has no field for it, so servers write it as they like. These forms are read, in any case:
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
/// The first one in a reply counts. A time of more than a day counts as a day, because a peer must not keep mail here for longer than
/// its sender may want to know.
public final class RetryHint {
    private static final long MOST_MILLIS = TimeUnit.DAYS.toMillis(1);
    private static final Pattern FORM = Pattern.compile(
            "\\b(?:try again|retry) (?:in|after) (?:about |at least )?"
                    + "(?:(\\d{1,2}):([0-5]\\d):([0-5]\\d)(?![\\d:])|(\\d{1,9})(?![\\d:./-]*\\d) ?([a-z]*))");

    private RetryHint() {}

    /// Empty when the reply is not 4xx or names no time.
    public static OptionalLong millis(Reply reply) {
        Matcher match = FORM.matcher(reply.text().toLowerCase(Locale.ROOT));
        return reply.isTransient() && match.find()
                ? OptionalLong.of(Math.min(millis(match), MOST_MILLIS))
                : OptionalLong.empty();
    }

    private static long millis(Matcher match) {
        return match.group(4) == null
                ? number(match, 1, TimeUnit.HOURS) + number(match, 2, TimeUnit.MINUTES)
                        + number(match, 3, TimeUnit.SECONDS)
                : number(match, 4, unit(match.group(5)));
    }

    private static long number(Matcher match, int group, TimeUnit unit) {
        return unit.toMillis(Long.parseLong(match.group(group)));
    }

    private static TimeUnit unit(String word) {
        return switch (word) {
            case "m", "min", "mins", "minute", "minutes" -> TimeUnit.MINUTES;
            case "h", "hr", "hrs", "hour", "hours" -> TimeUnit.HOURS;
            case "d", "day", "days" -> TimeUnit.DAYS;
            default -> TimeUnit.SECONDS;
        };
    }
}
