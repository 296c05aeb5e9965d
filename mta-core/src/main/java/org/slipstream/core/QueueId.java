package org.slipstream.core;

import java.util.Optional;

/// The queue id of a message, as in Received fields, SMTP replies and log lines. Ids are unique and
/// grow with time.
///
/// The upper bits hold milliseconds since 1970, so ids sort by age as numbers and as text. The last
/// six bits hold the shard that accepted the message, so that its mail is found without a directory
/// of ids. The text form uses Crockford's base 32, which omits letters that resemble digits.
///
/// @param value positive
public record QueueId(long value) implements Comparable<QueueId> {
    private static final String DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
    private static final int LENGTH = 11;
    /// The greatest number of shards.
    public static final int SHARDS = 64;
    /// Below the time: a number within the millisecond, and the shard.
    private static final int TIME_BITS = 10;

    public QueueId {
        if (value <= 0) {
            throw new IllegalArgumentException("queue ids are positive: " + value);
        }
    }

    /// The smallest id that is greater than `last` and not before `nowMillis`, of the first shard.
    public static QueueId after(long last, long nowMillis) {
        return after(last, nowMillis, 1);
    }

    /// The smallest id of a shard that is greater than `last` and not before `nowMillis`. Ids grow
    /// strictly even when the clock jumps back. They are unique without a stored counter as long as
    /// `last` covers all ids on the shard's disk, because no other shard gives ids with its bits.
    ///
    /// @param shard 1 to 64
    public static QueueId after(long last, long nowMillis, int shard) {
        if (shard < 1 || shard > SHARDS) {
            throw new IllegalArgumentException("shards are numbered from 1 to " + SHARDS + ": " + shard);
        }
        long least = Math.max(last + 1, nowMillis << TIME_BITS);
        return new QueueId(least + Math.floorMod(shard - least, (long) SHARDS));
    }

    /// The time at which the message came. An id that was moved on by a clock that jumped back, or by a
    /// crowd within a millisecond, is a little later.
    public long createdMillis() {
        return value >> TIME_BITS;
    }

    /// The shard that accepted the message, 1 to 64. The ids of versions without shards end in any
    /// bits, and moved mail keeps its id, so the message may be in another shard.
    public int shard() {
        int bits = (int) (value % SHARDS);
        return bits == 0 ? SHARDS : bits;
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
