package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.slipstream.config.postfix.PostfixNames;
import org.slipstream.config.postfix.PostfixNames.NameRow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/from-postfix.md` carries the tables of names between marks, written from [PostfixNames].
class FromPostfixPageTest {
    private static final Path PAGE = Path.of("../docs/from-postfix.md");

    /// `-Dslipstream.golden=write` writes them.
    @Test
    void thePageHasTheNamesAsTheyAre() throws IOException {
        check("names", PostfixNames.PARAMETERS);
        check("restrictions", PostfixNames.RESTRICTIONS);
    }

    private static void check(String mark, PostfixNames names) throws IOException {
        String page = Files.readString(PAGE);
        String first = "<!-- " + mark + ": written by FromPostfixPageTest -->\n";
        int begin = page.indexOf(first) + first.length();
        int end = page.indexOf("<!-- end of " + mark + " -->");
        assertThat(begin).isGreaterThan(first.length());
        assertThat(end).isGreaterThanOrEqualTo(begin);
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(PAGE, page.substring(0, begin) + table(names) + page.substring(end));
        } else {
            assertThat(page.substring(begin, end)).isEqualTo(table(names));
        }
    }

    private static String table(PostfixNames names) {
        return names.rows().stream().map(row -> "| `" + row.pattern() + "` | " + ours(row) + " | "
                + row.note().replace("|", "\\|").replace("*", "\\*") + " |\n")
                .collect(Collectors.joining("", "\n| Postfix | Here | |\n|---|---|---|\n", "\n"));
    }

    private static String ours(NameRow row) {
        return row.settings().isEmpty()
                ? row.needed() ? "–" : "not needed"
                : row.settings().stream().map(setting -> "`" + setting + "`").collect(Collectors.joining(", "));
    }

    @Test
    void eachOfOurSettingsExists() {
        assertThat(List.of(PostfixNames.PARAMETERS, PostfixNames.RESTRICTIONS)).flatMap(PostfixNames::rows)
                .flatMap(NameRow::settings).isNotEmpty().allSatisfy(setting -> assertThat(exists(setting))
                        .as(setting).isTrue());
    }

    private static boolean exists(String setting) {
        String name = setting.replace("transport.*.", "transport.smtp.");
        int dot = name.indexOf('.');
        String section = dot < 0 ? "" : name.substring(0, dot);
        String key = name.substring(dot + 1).replace("*.tls", "example.tls");
        return key.equals("*")
                ? ServerSchema.SERVER.isSection(section)
                : ServerSchema.SERVER.find(section, key).isPresent();
    }
}
