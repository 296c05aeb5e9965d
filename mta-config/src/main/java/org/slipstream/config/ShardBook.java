package org.slipstream.config;

import org.slipstream.settings.Complaints;
import org.slipstream.settings.Key;
import org.slipstream.settings.SchemaSection;
import org.slipstream.settings.Value;
import org.slipstream.settings.Values;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The reader of `[shard."2"]`: the limits of a single shard (IM-21).
final class ShardBook {
    private static final Pattern NUMBER = Pattern.compile("[1-9]|[1-5][0-9]|6[0-4]");
    private static final String SECTION = "shard";
    private static final List<String> NAMES = List.of("local-lanes", "remote-lanes");

    static final SchemaSection.NestedKeys KEYS = new SchemaSection.NestedKeys() {
        @Override
        public Optional<Key> find(String name) {
            return key(name);
        }

        @Override
        public Optional<String> meant(String name) {
            return Optional.of("a section of one shard has its number from 1 to " + ShardSettings.LAST_NUMBER
                    + ", and the keys " + String.join(" and ", NAMES));
        }

        /// They stand in the section itself.
        @Override
        public List<Key> listed() {
            return List.of();
        }

        @Override
        public boolean haveFreeNames() {
            return false;
        }
    };

    private ShardBook() {}

    /// @param name `2.remote-lanes`
    private static Optional<Key> key(String name) {
        int dot = name.indexOf('.');
        String key = name.substring(dot + 1);
        return dot > 0 && NUMBER.matcher(name.substring(0, dot)).matches() && NAMES.contains(key)
                ? Optional.of(ServerSchema.SERVER.key(SECTION + "." + key))
                : Optional.empty();
    }

    /// By number of the shard. A key that is absent has the value for all shards.
    static SortedMap<Integer, ShardLanes> read(Values values, ShardSettings common, Complaints complaints) {
        SortedMap<Integer, ShardLanes> lanes = new TreeMap<>();
        for (Map.Entry<String, Value> each : values.table(SECTION).entrySet()) {
            int dot = each.getKey().indexOf('.');
            if (dot > 0) {
                Key key = key(each.getKey()).orElseThrow();
                int number = Integer.parseInt(each.getKey().substring(0, dot));
                String dotted = SECTION + ".\"" + number + "\"." + key.name();
                key.form().read(each.getValue(), dotted, complaints).ifPresent(limit -> lanes.put(number,
                        lanes.getOrDefault(number, ShardLanes.of(common)).with(key.name().equals(NAMES.getFirst()),
                                ((Optional<?>) limit).map(Integer.class::cast))));
            }
        }
        return lanes;
    }
}
