package org.slipstream.server.pictures;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.queue.QueuePhase;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The pictures in `docs/pictures` are equal to those that the code draws. After an intended
/// change: `mvn -pl mta-dist -am test -Dtest=PicturesTest -Dslipstream.golden=write`.
class PicturesTest {
    private static final Path ROOT = Path.of("..");
    private static final Path FOLDER = ROOT.resolve("docs/pictures");

    enum Picture {
        PREEMPTION("preemption") {
            @Override
            String svg() {
                return LabPicture.svg();
            }
        },
        MODULES("modules") {
            @Override
            String svg() throws IOException {
                return ModulesPicture.svg(ROOT);
            }
        },
        MESSAGE_LIFE("message-life") {
            @Override
            String svg() throws IOException {
                return MessageLifePicture.svg(ROOT);
            }
        },
        LEDGERS("ledgers") {
            @Override
            String svg() {
                return LedgersPicture.svg();
            }
        },
        LOG_AND_INDEX("log-and-index") {
            @Override
            String svg() throws IOException {
                return LogPicture.svg(ROOT);
            }
        };

        private final String name;

        Picture(String name) {
            this.name = name;
        }

        abstract String svg() throws IOException;
    }

    @ParameterizedTest
    @EnumSource
    void thePictureIsCurrent(Picture picture) throws IOException {
        Path file = FOLDER.resolve(picture.name + ".svg");
        String svg = picture.svg();
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, svg);
        }
        assertThat(file).content().isEqualTo(svg);
    }

    @ParameterizedTest
    @EnumSource
    void aPictureHasABackgroundAndATitleAndNeedsNothingFromElsewhere(Picture picture) throws IOException {
        assertThat(picture.svg()).startsWith("<svg xmlns=\"http://www.w3.org/2000/svg\"").endsWith("</svg>\n").contains(
                "class=\"paper\"", "<title id=\"title\">", "sans-serif").doesNotContain("href", "url(http", "<script",
                        "{{");
    }

    @Test
    void everyPhaseOfAMessageStandsInItsPicture() throws IOException {
        String svg = MessageLifePicture.svg(ROOT);

        assertThat(QueuePhase.Code.values()).allSatisfy(code -> assertThat(svg).contains(">" + code.word() + "<"));
    }

    @Test
    void aTextThatLeavesItsBoxOrOverlapsAnotherOneIsAMistake() {
        assertThatThrownBy(() -> new Drawing(400, "A").box(10, 60, 40, "box", "much too long", List.of()))
                .hasMessageContaining("leaves its box");
        assertThatThrownBy(() -> new Drawing(400, "A").text(10, 80, "", "one").text(20, 84, "", "two"))
                .hasMessageContaining("overlaps");
    }
}
