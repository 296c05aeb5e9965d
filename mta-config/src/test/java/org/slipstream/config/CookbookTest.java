package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// A block of settings after `<!-- complete -->` in a page is a whole `mta.toml` that the server
/// accepts.
class CookbookTest {
    private static final Path PAGES = Path.of("..", "docs");
    private static final Pattern BLOCK = Pattern.compile("<!-- complete -->\n```toml\n(.*?)```\n", Pattern.DOTALL);

    @TempDir
    private Path home;

    /// The page says where a recipe stands when one fails.
    record Recipe(String page, String text) {}

    static List<Recipe> recipes() throws IOException {
        try (Stream<Path> pages = Files.list(PAGES)) {
            return pages.filter(page -> page.toString().endsWith(".md")).sorted().flatMap(CookbookTest::recipes)
                    .toList();
        }
    }

    private static Stream<Recipe> recipes(Path page) {
        try {
            return BLOCK.matcher(Files.readString(page)).results()
                    .map(block -> new Recipe(page.getFileName().toString(), block.group(1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theCookbookHasRecipes() throws IOException {
        assertThat(recipes()).extracting(Recipe::page).contains("cookbook.md", "settings-first.md")
                .hasSizeGreaterThan(6);
        assertThat(Files.readString(PAGES.resolve("cookbook.md")).split("<!-- complete -->", -1))
                .as("each mark stands before a block")
                .hasSize(1 + (int) recipes().stream().filter(recipe -> recipe.page().equals("cookbook.md")).count());
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void aCompleteConfigurationIsAccepted(Recipe recipe) throws IOException {
        Files.writeString(home.resolve("mta.toml"), recipe.text());
        Path logins = Files.writeString(home.resolve("logins"), "relay.provider.example:587 user password\n");
        Files.setPosixFilePermissions(logins, PosixFilePermissions.fromString("rw-------"));
        ReadResult result = ConfigReader.read(SettingsSource.in(home), "box.example.net", List.of());
        assertThat(result).as(recipe.page()).isInstanceOf(ReadResult.Accepted.class);
    }
}
