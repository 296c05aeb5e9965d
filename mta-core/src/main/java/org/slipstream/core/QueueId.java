package org.slipstream.core;

import java.util.Optional;

/// The queue id of a message, as in Received fields, SMTP replies and log lines. Ids are unique and
/// grow with time.
///
/// The upper bits hold milliseconds since 1970, so ids sort by age as numbers and as text. The text
/// form uses Crockford's base 32, which omits letters that resemble digits.
///
/// @param value positive
public record QueueId(long value) implements Comparable<QueueId> {
    private static final String DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
    private static final int LENGTH = 11;

    public QueueId {
        if (value <= 0) {
            throw new IllegalArgumentException("queue ids are positive: " + value);
        }
    }

    /// The smallest id that is greater than `last` and not before `nowMillis`. Ids grow strictly
    /// even when the clock jumps back, and are unique without a stored counter as long as `last`
    /// covers all ids on disk.
    public static QueueId after(long last, long nowMillis) {
        return new QueueId(Math.max(last + 1, nowMillis << 10));
    }

    /// Parses the form of [#toString], in either case.
    public static Optional<QueueId> parse(String text) {
        long value = 0;
        if (text.isEmpty() || text.length() > 12) {
            return Optional.empty();
        }
        for (int i = 0; i < text.length(); i++) {
            int digit = DIGITS.indexOf(Character.toLowerCase(text.charAt(i)));
            if (digit < 0) {
                return Optional.empty();
            }
            value = value << 5 | digit;
        }
        return value > 0 ? Optional.of(new QueueId(value)) : Optional.empty();
    }

    @Override
    public int compareTo(QueueId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(LENGTH);
        for (long rest = value; rest != 0; rest >>>= 5) {
            text.append(DIGITS.charAt((int) (rest & 31)));
        }
        while (text.length() < LENGTH) {
            text.append('0');
        }
        return text.reverse().toString();
    }
}
