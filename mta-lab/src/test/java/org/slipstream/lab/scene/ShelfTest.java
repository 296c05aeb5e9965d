package org.slipstream.lab.scene;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.lab.scene.SceneReader.Reading;
import org.slipstream.lab.scene.Stage.Played;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// The scenarios that come with the program go as they say.
class ShelfTest {
    static List<String> names() {
        return Shelf.names();
    }

    static Scene scene(String name) {
        Reading reading = SceneReader.read(Shelf.file(name), Shelf.find(name).orElseThrow());
        assertThat(reading).isInstanceOf(Reading.Good.class);
        return ((Reading.Good) reading).scene();
    }

    @ParameterizedTest
    @MethodSource("names")
    void everySceneGoesAsItsFileExpects(String name) {
        Played played = Stage.play(scene(name));

        assertThat(played.isAsExpected()).as(String.join("\n", SceneText.lines(played))).isTrue();
        assertThat(played.verdicts()).as("expectations of " + name).isNotEmpty();
        assertThat(played.scene().story()).as("story of " + name).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("names")
    void theSameFileGivesTheSameTextByteForByte(String name) {
        assertThat(SceneText.lines(Stage.play(scene(name)))).isEqualTo(SceneText.lines(Stage.play(scene(name))));
    }

    @Test
    void everyFileIsListedAndEveryListedFileIsThere() throws IOException, URISyntaxException {
        Path folder = Path.of(Shelf.class.getResource("/scenarios/index.txt").toURI()).getParent();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(file -> file.endsWith(".toml")))
                    .containsExactlyInAnyOrderElementsOf(Shelf.names().stream().map(Shelf::file).toList());
        }
    }
}
