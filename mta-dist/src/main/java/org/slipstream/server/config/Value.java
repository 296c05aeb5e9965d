package org.slipstream.server.config;

import java.util.List;
import java.util.stream.Collectors;

/// What stands behind a key, before anybody knows what it is to mean; the same for `mta.toml`, `--set` and defaults.
sealed interface Value {
    SourcePlace place();

    /// As TOML writes it, for messages and for the file of defaults.
    String toToml();

    record Text(String text, SourcePlace place) implements Value {
        @Override
        public String toToml() {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }
    }

    record Number(long number, SourcePlace place) implements Value {
        @Override
        public String toToml() {
            return Long.toString(number);
        }
    }

    record Flag(boolean flag, SourcePlace place) implements Value {
        @Override
        public String toToml() {
            return Boolean.toString(flag);
        }
    }

    record Many(List<Value> items, SourcePlace place) implements Value {
        public Many {
            items = List.copyOf(items);
        }

        @Override
        public String toToml() {
            return items.stream().map(Value::toToml).collect(Collectors.joining(", ", "[", "]"));
        }
    }

    /// Dates, fractions, tables: nothing here is written that way.
    record Other(String toToml, SourcePlace place) implements Value {}

    static Value text(String text) {
        return new Text(text, SourcePlace.DEFAULT);
    }

    static Value number(long number) {
        return new Number(number, SourcePlace.DEFAULT);
    }

    static Value flag(boolean flag) {
        return new Flag(flag, SourcePlace.DEFAULT);
    }

    static Value many(String... texts) {
        return new Many(List.of(texts).stream().map(Value::text).toList(), SourcePlace.DEFAULT);
    }
}
