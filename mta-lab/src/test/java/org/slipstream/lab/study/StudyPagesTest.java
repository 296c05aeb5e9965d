package org.slipstream.lab.study;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/studies.md` has the output of `./mta lab study` between markers. To accept an intended
/// change, run `mvn -pl mta-lab test -Dtest=StudyPagesTest -Dslipstream.golden=write`.
class StudyPagesTest {
    private static final Path PAGE = Path.of("../docs/studies.md");

    @Test
    void thePageHasTheTablesOfTheCommand() throws IOException {
        String page = Files.readString(PAGE);
        String current = page;
        for (Study study : Studies.all()) {
            String begin = "<!-- " + study.name() + ": written by StudyPagesTest -->\n";
            String end = "<!-- end of " + study.name() + " -->\n";
            assertThat(current).contains(begin).contains(end);
            current = current.substring(0, current.indexOf(begin) + begin.length()) + "```text\n$ ./mta lab study "
                    + study.name() + "\n" + String.join("\n", StudyText.lines(study, SharedStudyResults.of(study)))
                    + "\n```\n"
                    + current.substring(current.indexOf(end));
        }
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(PAGE, current);
        } else {
            assertThat(page).isEqualTo(current);
        }
    }

    @Test
    void theHtmlPageHasTheTableAndAWindowForEachFeedbackWithoutOtherFiles() {
        Study small = new Study("limiter", "A short study", 1, Studies.LIMITER.rows(), "nothing", List.of());
        String page = StudyPage.html(List.of(small), _ -> {});

        assertThat(page).startsWith("<!DOCTYPE html>").endsWith("</html>\n").contains("1/sqrt(N)", "49.7")
                .doesNotContain("http").doesNotContain("NaN");
        assertThat(page.split("<svg", -1)).hasSize(4);
    }

    @Test
    void theHtmlPageShowsTheFinalWindowsAndTheBadServer() {
        String page = StudyPage.html(List.of(Studies.BALANCER), _ -> {});

        assertThat(page).contains("about 10", "Window with feedback 1/N and one bad server of 10")
                .doesNotContain("NaN");
        assertThat(page.split("<svg", -1)).hasSize(10);
    }

    @Test
    void aStudyIsFoundByItsName() {
        assertThat(Studies.all()).allSatisfy(study -> assertThat(Studies.find(study.name())).contains(study));
        assertThat(Studies.find("weather")).isEmpty();
    }
}
