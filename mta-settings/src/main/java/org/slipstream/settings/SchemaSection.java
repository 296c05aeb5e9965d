package org.slipstream.settings;

import java.util.List;
import java.util.Optional;

/// A section of the file of settings: the sentence that introduces it, and where its keys come from.
public sealed interface SchemaSection {
    String doc();

    /// Lines that the first file shows instead of keys.
    default List<String> example() {
        return List.of();
    }

    /// The components of records declare its keys.
    ///
    /// @param inner the keys of sections within it
    record Declared(String doc, Optional<NestedKeys> inner) implements SchemaSection {
        public Declared(String doc) {
            this(doc, Optional.empty());
        }
    }

    /// The operator invents its keys, and all have one form: `[aliases]`.
    record Free(String doc, Form<?> form, List<String> example) implements SchemaSection {
        public Free {
            example = List.copyOf(example);
        }
    }

    /// It holds a section for each transport, destination or retry policy; the keys are `smtp.lanes` and
    /// the like.
    record Nested(String doc, NestedKeys keys, List<String> example) implements SchemaSection {
        public Nested {
            example = List.copyOf(example);
        }
    }

    /// The keys of the sections within a section.
    interface NestedKeys {
        /// @param name `smtp.lanes`
        Optional<Key> find(String name);

        /// The suggestion for an unknown key.
        Optional<String> meant(String name);

        /// The keys that the manual lists.
        List<Key> listed();

        /// True when the operator invents the inner names, with dots in them.
        default boolean haveFreeNames() {
            return true;
        }

        /// False when an absent key changes nothing, so that there is no default.
        default boolean haveDefaults() {
            return false;
        }
    }
}
