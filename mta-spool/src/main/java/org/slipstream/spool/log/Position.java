package org.slipstream.spool.log;

import java.util.Comparator;

/// A point between two records of the log.
///
/// @param segment number of the segment
/// @param offset in the segment's file
public record Position(long segment, long offset) implements Comparable<Position> {
    public static final Position START = new Position(0, 0);

    @Override
    public int compareTo(Position other) {
        return Comparator.comparingLong(Position::segment).thenComparingLong(Position::offset).compare(this, other);
    }
}
