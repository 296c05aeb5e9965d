import org.jspecify.annotations.NullMarked;

/// How a setting is declared, read from TOML with its place, complained about, written to the first
/// file and to the manual page.
@NullMarked module org.slipstream.settings {
    requires static org.jspecify;
    requires transitive org.slipstream.core;
    requires org.tomlj;

    exports org.slipstream.settings;
}
