package org.slipstream.world;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.world.WorldBugs.WorldBug;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The mistakes that can be put back. To run worlds with them takes an hour; `docs/world.md` has the command
/// and its table.
class WorldBugsTest {
    private static final Path PATCHES = Path.of("src/test/resources/bugs");
    private static final Path PROJECT = Path.of("..");

    @TempDir
    Path folder;

    @Test
    void eachMistakeFitsThePresentSources() throws IOException {
        List<Path> patches = WorldBugs.patches(PATCHES);
        assertThat(patches).hasSizeGreaterThanOrEqualTo(10);
        for (Path each : patches) {
            WorldBug bug = WorldBug.read(each, PROJECT);
            assertThat(bug.story()).as(bug.name()).endsWith(".");
            assertThat(LongStream.range(0, 50_000).mapToObj(WorldPlan::drawn)).as(bug.name())
                    .anyMatch(plan -> plan.hasAll(bug.kinds()));
            bug.sources().forEach((path, text) -> assertThat(PROJECT.resolve(path)).content().isNotEqualTo(text));
        }
    }

    @Test
    void eachMistakeCompiles() throws IOException {
        for (Path each : WorldBugs.patches(PATCHES)) {
            WorldBug.read(each, PROJECT).compile(folder.resolve(each.getFileName()));
        }
    }

    @Test
    void aPatchFindsItsPlaceByItsTextAndOnlyOnce() throws IOException {
        Files.writeString(folder.resolve("A.java"), "class A {\n  int a = 1;\n  int b = 2;\n}\n");
        WorldBug bug = WorldBug.read(patch("  int a = 1;", "  int b = 2;"), folder);
        assertThat(bug.story()).isEqualTo("A story.");
        assertThat(bug.kinds()).containsExactly("shards", "disk-fails");
        assertThat(bug.sources()).containsEntry("A.java", "class A {\n  int a = 1;\n  int b = 3;\n}\n");
        Files.writeString(folder.resolve("A.java"), "class A {\n  int a = 2;\n  int b = 2;\n}\n");
        assertThatThrownBy(() -> WorldBug.read(patch("  int a = 1;", "  int b = 2;"), folder))
                .hasMessageContaining("no place");
        Files.writeString(folder.resolve("A.java"), "  x\n  x\n  x\n");
        assertThatThrownBy(() -> WorldBug.read(patch("  x", "  x"), folder)).hasMessageContaining("several places");
    }

    private Path patch(String context, String line) throws IOException {
        return Files.writeString(folder.resolve("bug.patch"),
                "A\nstory.\n\nworlds: shards disk-fails\n\n--- a/A.java\n+++ b/A.java\n@@ -7,2 +7,2 @@\n "
                        + context + "\n-" + line + "\n+  int b = 3;\n");
    }
}
