package org.slipstream.events.stream;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// How far a reader is: its place in the stream of each shard. A shard that it does not name is read from the oldest
/// event.
public record StreamCursor(Map<Integer, EventCursor> places) {
    public static final StreamCursor OLDEST = new StreamCursor(Map.of());
    private static final int MOST_SHARDS = 64;

    public StreamCursor {
        places = Collections.unmodifiableMap(new TreeMap<>(places));
    }

    /// Empty for a text of another form. A text without places is the oldest.
    public static Optional<StreamCursor> parse(String text) {
        Map<Integer, EventCursor> places = new TreeMap<>();
        if (text.isEmpty()) {
            return Optional.of(OLDEST);
        }
        String[] parts = text.split("_", MOST_SHARDS + 1);
        for (String part : parts) {
            Optional<EventCursor> place = EventCursor.parse(part);
            if (place.isEmpty() || places.put(place.get().shard(), place.get()) != null) {
                return Optional.empty();
            }
        }
        return places.size() > MOST_SHARDS ? Optional.empty() : Optional.of(new StreamCursor(places));
    }

    /// The place in the stream of a shard; before its first event when it is not named.
    EventCursor of(int shard) {
        return places.getOrDefault(shard, new EventCursor(shard, 0, 0, 0));
    }

    StreamCursor with(EventCursor place) {
        Map<Integer, EventCursor> more = new TreeMap<>(places);
        more.put(place.shard(), place);
        return new StreamCursor(more);
    }

    @Override
    public String toString() {
        return places.values().stream().map(EventCursor::toString).collect(Collectors.joining("_"));
    }
}
