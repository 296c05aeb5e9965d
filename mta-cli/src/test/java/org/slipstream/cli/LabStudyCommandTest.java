package org.slipstream.cli;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class LabStudyCommandTest {
    @TempDir
    Path home;

    @Test
    @Tag("PF-14")
    void thePublishedFiguresAndOursStandSideBySide() {
        Console.Ran ran = new Console(home).run("lab", "study", "limiter");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out().lines().filter(line -> line.startsWith("1/N        no")).findFirst().orElseThrow()
                .split(" +")).contains("16.5", "16.7", "5.17");
    }

    @Test
    void thePageIsWrittenToTheGivenFile() throws IOException {
        Path page = home.resolve("studies.html");
        Console.Ran ran = new Console(home).run("lab", "study", "limiter", "--html", page.toString());
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).isEqualTo("wrote " + page + System.lineSeparator());
        assertThat(Files.readString(page)).contains("<svg");
    }

    @Test
    void aPageThatCannotBeWrittenGivesOneSentence() {
        Console.Ran ran = new Console(home).run("lab", "study", "limiter", "--html",
                home.resolve("nowhere/studies.html").toString());
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err().lines().filter(line -> !line.startsWith("mta: study limiter, "))).singleElement()
                .asString()
                .contains("cannot write");
    }

    @Test
    void anUnknownStudyGivesTheListOfStudies() {
        Console.Ran ran = new Console(home).run("lab", "study", "weather");
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("no study weather", "limiter, connect, greeting");
        assertThat(new Console(home).run("lab", "study", "--help").out()).contains("Exit codes:", "Examples:");
    }

    @Test
    void aJournalThatCannotBeReadAndOptionsThatDoNotFitAreTold() {
        Console.Ran ran = new Console(home).run("lab", "study", "order", "--journal", home.resolve("none").toString());
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("mta: ", "none");
        assertThat(new Console(home).run("lab", "study", "limiter", "--journal", "x").err())
                .contains("mta lab study order --journal FILE");
        ran = new Console(home).run("lab", "study", "order", "--html", home.resolve("o.html").toString());
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("the study order has no page");
    }

    @Test
    void aWrongNumberOfShardsAndAnUnknownModelServerAreTold() {
        assertThat(new Console(home).run("lab", "shards", "1,65").err()).contains("65 is not a number of shards");
        Console.Ran ran = new Console(home).run("lab", "shards", "2", "--server", "mine");
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("no model server \"mine\"", "one disk for all");
    }
}
