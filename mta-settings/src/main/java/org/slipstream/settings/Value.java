package org.slipstream.settings;

import java.util.List;
import java.util.stream.Collectors;

/// The value of a key before its form is known; the same for `mta.toml`, `--set` and defaults.
public sealed interface Value {
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

    /// Dates, fractions, tables: no setting has such a value.
    record Other(String toToml, SourcePlace place) implements Value {}
}
