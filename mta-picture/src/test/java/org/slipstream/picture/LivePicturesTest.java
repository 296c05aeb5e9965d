package org.slipstream.picture;

import org.junit.jupiter.api.Test;
import org.slipstream.picture.LivePictures.Curve;
import org.slipstream.picture.LivePictures.JobRow;

import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class LivePicturesTest {
    private static final List<JobRow> ROWS = List.of(new JobRow("small", 1, "big", 0, 2, 0, 0, true),
            new JobRow("big", 0, "", 30, 70, 4, -12, false), new JobRow("late", 0, "", 0, 10, 0, 0, false));

    @Test
    void aJobThatHasPassedAnotherIsIndentedAndPointsAtIt() {
        String svg = LivePictures.jobs("smtp", ROWS, 5).text();

        assertThat(svg).contains("id=\"job-smtp-small\" transform=\"translate(0 30)\"",
                "id=\"job-smtp-big\" transform=\"translate(0 58)\"",
                "<path class=\"passed\" d=\"M58 14 h-12 v16\"/>", "it has passed big",
                "30 deliveries chosen, 70 left, 4 under way").containsOnlyOnce("class=\"current\"");
    }

    @Test
    void slotsThatWereSpentInAdvanceAreHollow() {
        String svg = LivePictures.jobs("smtp", ROWS, 5).text();

        assertThat(svg.split("class=\"spent\"", -1)).hasSize(3);
        assertThat(svg).contains(">-12</text>").doesNotContain("class=\"earned\"");
        assertThat(LivePictures.jobs("smtp", ROWS, 0).text()).contains("no preemption").doesNotContain("spent");
    }

    @Test
    void anyTreeOfJobsFitsIntoThePicture() {
        List<JobRow> deep = List.of(new JobRow("x", 1_000, "y", 0, Integer.MAX_VALUE / 2, 0, Integer.MAX_VALUE, false),
                new JobRow("y", 999, "gone", Integer.MAX_VALUE / 2, 0, 0, Integer.MIN_VALUE + 1, false));

        String svg = LivePictures.jobs("smtp", deep, 1).text();

        assertThat(svg.split("class=\"earned\"", -1)).hasSize(17);
        assertThat(svg.length()).isLessThan(10_000);
    }

    @Test
    void namesAreEscaped() {
        assertThat(LivePictures.jobs("<i>", List.of(new JobRow("<b>\"", 1, "<b>", 0, 1, 0, 0, false)), 5).text())
                .doesNotContain("<b>", "<i>", "\"\"");
        assertThat(LivePictures.curves(List.of(new Curve("<b>", new double[2])), "<i>").text()).doesNotContain("<b>",
                "<i>");
    }

    @Test
    void aCurveHasAPointWhereItBends() {
        double[] values = new double[900];
        Arrays.fill(values, 100, 200, 7);

        String svg = LivePictures.curves(List.of(new Curve("accepted", values)), "title").text();
        String points = svg.replaceFirst("(?s).*points=\"([^\"]*)\".*", "$1");

        assertThat(points.split(" ")).hasSize(6).startsWith("5.0,108.0").endsWith("454.0,108.0");
        assertThat(svg).contains(">7</text>");
    }

    @Test
    void theOldestMessagesHaveTheLastBar() {
        String svg = LivePictures.ages(List.of("5m", "older"), new long[]{2, 4}).text();

        assertThat(svg).contains("Messages by age: 5m 2, older 4", "class=\"age a0\"", "class=\"age a1\"");
    }

    @Test
    void aClosedWindowIsSaid() {
        assertThat(LivePictures.window(0, 20, 0, 3).text()).contains("window closed, limit 20, 3 waiting")
                .doesNotContain("class=\"running\"");
        assertThat(LivePictures.window(5, 0, 2, 0).text()).contains("2 under way, window 5, 0 waiting");
    }
}
