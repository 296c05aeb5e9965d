package org.slipstream.events.stream;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The place of an event in the stream of a shard: the record of the message log that it comes from, and its number
/// among the events of this record. So an event that is made from the log once more has the same place.
///
/// @param number from [#FIRST] for the events of the record. Smaller ones are free for events that stand before it and
///     have no record, as long as there is no earlier event in the stream; 0 stands before them
public record EventCursor(int shard, long segment, long offset, int number) implements Comparable<EventCursor> {
    static final int FIRST = 1000;
    private static final Comparator<EventCursor> ORDER = Comparator.comparingInt(EventCursor::shard)
            .thenComparingLong(EventCursor::segment).thenComparingLong(EventCursor::offset)
            .thenComparingInt(EventCursor::number);
    private static final Pattern FORM = Pattern.compile("(\\d{1,2})\\.(\\d{1,15})\\.(\\d{1,12})\\.(\\d{1,9})");

    /// @param number of the event among those of its record, from 0
    public static EventCursor ofRecord(int shard, long segment, long offset, int number) {
        return new EventCursor(shard, segment, offset, FIRST + number);
    }

    /// False when the next place belongs to a record of the log.
    boolean hasPlaceBehind() {
        return number + 1 != FIRST;
    }

    /// The place of an event behind this one that has no record of its own.
    EventCursor behind() {
        return new EventCursor(shard, segment, offset, number + 1);
    }

    static Optional<EventCursor> parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches()
                ? Optional.of(new EventCursor(Integer.parseInt(form.group(1)), Long.parseLong(form.group(2)),
                        Long.parseLong(form.group(3)), Integer.parseInt(form.group(4))))
                : Optional.empty();
    }

    @Override
    public int compareTo(EventCursor other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return shard + "." + segment + "." + offset + "." + number;
    }
}
