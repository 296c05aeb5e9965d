package org.slipstream.server.config;

import org.slipstream.server.manual.RoffPage;

import java.util.List;
import java.util.stream.Stream;

/// The manual page `mta.toml(5)`: every key with its default, its notation and its meaning, from the
/// [Schema].
public final class SettingsManual {
    private static final String PAGE = "mta.toml";

    private SettingsManual() {}

    /// @param date of the build
    public static RoffPage page(String date) {
        RoffPage page = new RoffPage(PAGE, 5, date, "File formats").name(PAGE, "settings of the mail server Slipstream")
                .heading("DESCRIPTION")
                .text("The file is TOML. A key that is not in the file has its default, so an empty file is a valid one."
                        + " The command `mta check` reports every mistake with its line.")
                .text("Times are written as \"250ms\", \"300s\", \"5m\", \"4h\" or \"5d\". Sizes are written as"
                        + " \"128KiB\", \"25MiB\", \"64MB\" or as a number of bytes.");
        Schema.SERVER.sections().forEach((section, doc) -> section(page, section, doc));
        return page.heading("SEE ALSO").text("`mta`(1), `mta-check`(1), `mta-run`(1)");
    }

    private static void section(RoffPage page, String section, String doc) {
        page.heading(section.isEmpty() ? "BEFORE THE FIRST SECTION" : "[" + section + "]");
        if (!doc.isEmpty()) {
            page.text(doc);
        }
        keys(section).forEach(key -> page.entry(key.name() + defaultOf(section, key),
                List.of(key.doc(), "Written as", key.form().words() + ".")));
    }

    private static Stream<Key> keys(String section) {
        return switch (section) {
            case Schema.RETRY -> RetryBook.keys().stream();
            case Schema.DESTINATION, Schema.RING -> DestinationBook.keys(section).stream();
            default -> Schema.SERVER.keys(section);
        };
    }

    /// A clause of a destination has no defaults: an absent key changes nothing.
    private static String defaultOf(String section, Key key) {
        return section.equals(Schema.DESTINATION) || section.equals(Schema.RING)
                ? ""
                : " = " + key.defaultValue(Key.HOSTNAME).toToml();
    }
}
