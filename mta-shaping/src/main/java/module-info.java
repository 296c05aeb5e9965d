import org.jspecify.annotations.NullMarked;

/// Rules from replies: their file, and the counting by which a rule comes into force.
@NullMarked module org.slipstream.shaping {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires transitive org.slipstream.settings;

    exports org.slipstream.shaping;
}
