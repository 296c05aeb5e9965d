package org.slipstream.settings;

import java.util.List;
import java.util.stream.Stream;

/// The manual page `mta.toml(5)`: every key with its default, its notation and its meaning, from the
/// [Schema].
public final class SettingsManual {
    private static final String PAGE = "mta.toml";

    private SettingsManual() {}

    /// @param date of the build
    public static RoffPage page(Schema schema, String date) {
        RoffPage page = new RoffPage(PAGE, 5, date, "File formats").name(PAGE, "settings of the mail server Slipstream")
                .heading("DESCRIPTION")
                .text("The file is TOML. A key that is not in the file has its default, so an empty file is a valid one."
                        + " The command `mta check` reports every mistake with its line.")
                .text("Times are written as \"250ms\", \"300s\", \"5m\", \"4h\" or \"5d\". Sizes are written as"
                        + " \"128KiB\", \"25MiB\", \"64MB\" or as a number of bytes.");
        schema.sections().forEach((name, section) -> section(page, schema, name, section));
        page.heading("SETTINGS FOR EXPERTS").text("Constants of the designs, and limits that few servers reach."
                + " Their defaults are those of the sources.");
        schema.expertKeys().forEach(key -> entry(page, key.dotted(), key, true));
        return page.heading("SEE ALSO").text("`mta`(1), `mta-check`(1), `mta-run`(1)");
    }

    private static void section(RoffPage page, Schema schema, String name, SchemaSection section) {
        if (section instanceof SchemaSection.Declared && schema.usualKeys(name).findAny().isEmpty()) {
            return;
        }
        page.heading(name.isEmpty() ? "BEFORE THE FIRST SECTION" : "[" + name + "]");
        if (!section.doc().isEmpty()) {
            page.text(section.doc());
        }
        boolean haveDefaults = !(section instanceof SchemaSection.Nested nested) || nested.keys().haveDefaults();
        keys(schema, name, section).forEach(key -> entry(page, key.name(), key, haveDefaults));
    }

    private static void entry(RoffPage page, String name, Key key, boolean hasDefault) {
        page.entry(name + (hasDefault ? " = " + key.defaultValue(Key.HOSTNAME).toToml() : ""),
                List.of(key.doc(), "Written as", key.form().words() + "."));
    }

    private static Stream<Key> keys(Schema schema, String name, SchemaSection section) {
        return section instanceof SchemaSection.Nested nested
                ? nested.keys().listed().stream()
                : schema.usualKeys(name);
    }
}
