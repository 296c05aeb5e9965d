package org.slipstream.events.account;

import java.time.Duration;
import java.util.Arrays;
import java.util.StringJoiner;

/// A count within the last time, in as many parts as it is exact. The part at hand is not over, so one part more is
/// kept: the sum covers the whole time and up to a part more, and a cap is never exceeded within any such time.
///
/// A clock that goes back adds to the latest part.
final class SlidingCount {
    private final long partMillis;
    private final int[] parts;
    private long newest;

    SlidingCount(Duration time, int count) {
        partMillis = time.toMillis() / count;
        parts = new int[count + 1];
    }

    void add(long nowMillis, int more) {
        move(nowMillis);
        int at = at(newest);
        parts[at] = (int) Math.min(Integer.MAX_VALUE, (long) parts[at] + more);
    }

    long sum(long nowMillis) {
        move(nowMillis);
        return Arrays.stream(parts).asLongStream().sum();
    }

    void clear() {
        Arrays.fill(parts, 0);
    }

    /// Of each part the greatest value that was set in it.
    ///
    /// @param back 0 for the part at hand, 1 for the one before
    void raise(long nowMillis, int value, int back) {
        move(nowMillis);
        int at = at(newest - back);
        parts[at] = Math.max(parts[at], value);
    }

    /// @param withLatest false: without the part at hand
    int greatest(long nowMillis, boolean withLatest) {
        move(nowMillis);
        int greatest = 0;
        for (int i = withLatest ? 0 : 1; i < parts.length; i++) {
            greatest = Math.max(greatest, parts[at(newest - i)]);
        }
        return greatest;
    }

    private void move(long nowMillis) {
        long now = Math.floorDiv(nowMillis, partMillis);
        if (now - newest >= parts.length) {
            Arrays.fill(parts, 0);
            newest = now;
        }
        while (newest < now) {
            newest++;
            parts[at(newest)] = 0;
        }
    }

    private int at(long part) {
        return (int) Math.floorMod(part, (long) parts.length);
    }

    /// For [#read].
    String text() {
        StringJoiner text = new StringJoiner(",");
        text.add(Long.toString(newest));
        Arrays.stream(parts).forEach(each -> text.add(Integer.toString(each)));
        return text.toString();
    }

    /// @throws IllegalArgumentException when the text is not one of [#text]
    void read(String text) {
        String[] numbers = text.split(",", -1);
        if (numbers.length != parts.length + 1) {
            throw new IllegalArgumentException(numbers.length + " numbers instead of " + (parts.length + 1));
        }
        newest = Long.parseLong(numbers[0]);
        for (int i = 0; i < parts.length; i++) {
            parts[i] = Integer.parseUnsignedInt(numbers[i + 1]);
        }
    }
}
