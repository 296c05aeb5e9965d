package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.slipstream.settings.Key;
import org.slipstream.settings.Schema;
import org.slipstream.settings.SchemaSection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/configuration.md` carries the table of keys between two marks, written from the [Schema].
class ConfigurationPageTest {
    private static final String EXPERTS = """
            Constants of the designs that the queue manager unites, and limits that few servers reach. The
            file of the first start does not have them. [scheduler.md](scheduler.md) and
            [placement.md](placement.md) explain the first kind.
            """;
    private static final String HEADING = "\n| Key | Default | Written as | Meaning |\n|---|---|---|---|\n";
    private static final Path PAGE = Path.of("../docs/configuration.md");
    private static final String BEGIN = "<!-- keys: written by ConfigurationPageTest -->\n";
    private static final String END = "<!-- end of keys -->\n";

    /// When it fails after a change of keys: `mvn -pl mta-config test -Dtest=ConfigurationPageTest
    /// -Dslipstream.golden=write`.
    @Test
    void thePageHasTheKeysAsTheyAre() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        assertThat(begin).isGreaterThan(BEGIN.length());
        assertThat(end).isGreaterThan(0);
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(PAGE, page.substring(0, begin) + table(ServerSchema.SERVER) + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(table(ServerSchema.SERVER));
        }
    }

    @Test
    void everyKeyIsNamed() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(ServerSchema.SERVER.keys()).isNotEmpty()
                .allSatisfy(key -> assertThat(page).contains("`" + key.dotted() + "`"));
        assertThat(ServerSchema.SERVER.sections().keySet()).allSatisfy(section -> assertThat(page).contains(section));
    }

    static String table(Schema schema) {
        StringBuilder table = new StringBuilder();
        schema.sections().forEach((name, section) -> {
            if (section instanceof SchemaSection.Declared && schema.usualKeys(name).findAny().isEmpty()) {
                return;
            }
            table.append(name.isEmpty() ? "\n### Before the first section\n" : "\n### `[" + name + "]`\n");
            table.append(section.doc().isEmpty() ? "" : "\n" + wrapped(escaped(section.doc())) + "\n");
            switch (section) {
                case SchemaSection.Declared _ -> {
                    table.append(HEADING);
                    schema.usualKeys(name).forEach(key -> table.append(row(key.dotted(), key)));
                }
                case SchemaSection.Nested(_, SchemaSection.NestedKeys keys, _) when keys.haveDefaults() -> {
                    table.append(HEADING);
                    keys.listed().forEach(key -> table.append(row(key.name(), key)));
                }
                case SchemaSection.Nested(_, SchemaSection.NestedKeys keys, _) when !keys.listed().isEmpty() -> {
                    table.append("\n| Key | Written as | Meaning |\n|---|---|---|\n");
                    keys.listed().forEach(key -> table.append("| `" + key.name() + "` | "
                            + escaped(key.form().words()) + " | " + escaped(key.doc()) + " |\n"));
                }
                default -> {
                    // The operator invents its keys.
                }
            }
        });
        if (schema.expertKeys().findAny().isPresent()) {
            table.append("\n## Keys for experts\n\n").append(EXPERTS);
            schema.sections().forEach((name, section) -> {
                List<Key> keys = schema.keys(name).filter(Key::isExpert).toList();
                if (!keys.isEmpty()) {
                    table.append("\n### `[" + name + "]` for experts\n").append(HEADING);
                    keys.forEach(key -> table.append(row(key.dotted(), key)));
                }
            });
        }
        return table.append('\n').toString();
    }

    private static String row(String name, Key key) {
        String standard = key.defaultValue(Key.HOSTNAME).toToml().replace("\"<hostname>\"", "<hostname>");
        return "| `" + name + "` | `" + standard + "` | " + escaped(key.form().words()) + " | "
                + escaped(key.doc()) + restart(key) + " |\n";
    }

    private static String restart(Key key) {
        return key.declared().restart().isEmpty() ? "" : " *Restart: " + key.declared().restart() + ".*";
    }

    private static String escaped(String words) {
        return words.replace("|", "\\|").replace("\"*", "\"\\*");
    }

    /// Pages wrap at 100 columns.
    private static String wrapped(String text) {
        StringBuilder lines = new StringBuilder();
        int column = 0;
        for (String word : text.split(" ")) {
            boolean fits = column + 1 + word.length() <= 100;
            lines.append(column == 0 ? "" : fits ? " " : "\n").append(word);
            column = column > 0 && fits ? column + 1 + word.length() : word.length();
        }
        return lines.toString();
    }
}
