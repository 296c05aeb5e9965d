package org.slipstream.picture;

import org.junit.jupiter.api.Test;
import org.slipstream.picture.FramePicture.ConnectionPart;
import org.slipstream.picture.FramePicture.DestinationPart;
import org.slipstream.picture.FramePicture.JobsPart;
import org.slipstream.picture.LivePictures.Curve;
import org.slipstream.picture.LivePictures.JobRow;
import org.slipstream.picture.RunPlayer.PlayedRun;
import org.slipstream.picture.RunPlayer.SliderForm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class RunPlayerTest {
    private static final String HOSTILE = "<b>\"'&";
    private static final FramePicture FRAME = new FramePicture("", "2 messages in memory.",
            List.of(new JobsPart("smtp", false, 5, 2, 1,
                    List.of(new JobRow("small", 1, "big", 0, 2, 0, 0, true),
                            new JobRow("big", 0, "", 30, 70, 4, 10, false)))),
            List.of(new DestinationPart("smtp/far.example", "live", 5, 20, 4, 68)), 3,
            List.of(new ConnectionPart(7, "mx.far.example[192.0.2.1]:25", "busy", 2, "smtp/far.example")));

    private static RunPlayer player(int step, int last, Optional<SliderForm> form) {
        return new RunPlayer(step, last, 4, "03:00", "03:04", "03:0" + step,
                List.of(new PlayedRun("", List.of(new Curve("waiting", new double[]{4, 3, 2})),
                        List.of(new Curve("delivered", new double[]{0, 1, 1})), FRAME.markup())),
                to -> "?step=" + to, form);
    }

    /// The file is written by `-Dslipstream.golden=write`.
    @Test
    void aMomentIsDrawnAsTheGoldenPageHasIt() throws IOException {
        String made = player(1, 2, Optional.of(new SliderForm("/yesterday", new LinkedHashMap<>(Map.of("to", "x")))))
                .markup().text();
        if ("write".equals(System.getProperty("slipstream.golden"))) {
            Files.writeString(Path.of("src/test/resources/picture/player.golden.html"), made);
        }
        try (InputStream golden = RunPlayerTest.class.getResourceAsStream("/picture/player.golden.html")) {
            assertThat(made).isEqualTo(
                    new String(Objects.requireNonNull(golden).readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void theLinksStayWithinWhatIsKnown() {
        assertThat(player(0, 2, Optional.empty()).markup().text()).contains("<span class=\"soft\">back</span>",
                "<a href=\"?step=1\">forward</a>", "<a href=\"?step=2\">last</a>").doesNotContain("step=3", "<form");
        assertThat(player(2, 2, Optional.empty()).markup().text()).contains("<span class=\"soft\">forward</span>",
                "<a href=\"?step=0\">first</a>");
    }

    @Test
    void theMarkStandsAtTheEndOfACurveThatEndsThere() {
        String svg = LivePictures.curves(List.of(new Curve("waiting", new double[]{4, 3, 2})), "t", 5, 2 / 5.0).text();

        assertThat(svg).contains("points=\"5.0,20.0 95.0,42.0 185.0,64.0\"", "class=\"mark\" x1=\"185.0\"");
    }

    @Test
    void namesAreEscaped() {
        FramePicture hostile = new FramePicture(HOSTILE, HOSTILE,
                List.of(new JobsPart(HOSTILE, true, 5, 1, 1,
                        List.of(new JobRow(HOSTILE, 0, HOSTILE, 1, 1, 1, 1, true)))),
                List.of(new DestinationPart(HOSTILE, HOSTILE, 1, 1, 1, 1)), 0,
                List.of(new ConnectionPart(1, HOSTILE, HOSTILE, 1, HOSTILE)));
        RunPlayer player = new RunPlayer(1, 1, 1, HOSTILE, HOSTILE, HOSTILE,
                List.of(new PlayedRun(HOSTILE, List.of(), List.of(), hostile.markup())), _ -> HOSTILE,
                Optional.of(new SliderForm(HOSTILE, new LinkedHashMap<>(Map.of(HOSTILE, HOSTILE)))));

        assertThat(player.markup().text()).doesNotContain("<b>", HOSTILE).contains("&lt;b&gt;&quot;&#39;&amp;");
    }
}
