package org.slipstream.cli;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cli.Console.Ran;
import org.slipstream.cli.frame.Exit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/// Scenarios from the command line.
class LabCommandsTest {
    private static final String SCENARIO = """
            title = "Two messages"
            [transport]
            lanes = 1
            [[messages]]
            name = "a"
            to = { "a.example" = 1 }
            [[messages]]
            name = "b"
            to = { "b.example" = 1 }
            """;

    @TempDir
    private Path folder;
    private Console console;

    @BeforeEach
    void open() {
        console = new Console(folder);
    }

    private String file(String text) throws IOException {
        return Files.writeString(folder.resolve("mine.toml"), text).toString();
    }

    @Test
    void aScenarioThatComesWithTheProgramIsFoundByItsName() {
        Ran ran = console.run("lab", "run", "ten-two-two");

        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains("sequence  1×4 2×2 1×4 3×2 1×2", "as expected");
        assertThat(console.run("lab", "list").out()).contains("ten-two-two ");
        assertThat(console.run("lab", "list", "--show", "ten-two-two").out()).contains("[expect]");
    }

    @Test
    void aFileIsRunAndWithEventsEachEventIsALine() throws IOException {
        String file = file(SCENARIO + "[expect]\nsequence = \"a b\"\n");

        Ran ran = console.run("lab", "run", file);
        assertThat(ran.exit()).isZero();
        // A run that takes seconds has lines of progress in err.
        assertThat(console.run("lab", "run", file)).usingRecursiveComparison().ignoringFields("err").isEqualTo(ran);
        assertThat(console.run("lab", "run", file, "--events").out()).contains("1s  connection 1: b to smtp/b.example");
    }

    @Test
    void aRunThatIsNotAsExpectedEndsWithOneAndSaysWhere() throws IOException {
        Ran ran = console.run("lab", "run", file(SCENARIO + "[expect]\nsequence = \"b a\"\n"));

        assertThat(ran.exit()).isEqualTo(Exit.NO);
        assertThat(ran.out()).contains("mine.toml:11: sequence differs at position 1: expected b, got a");
    }

    @Test
    void aPageIsWrittenWhereItIsWanted() throws IOException {
        Path page = folder.resolve("page.html");

        assertThat(console.run("lab", "run", "tree", "--html", page.toString()).exit()).isZero();
        assertThat(page).content().startsWith("<!DOCTYPE html>").contains("8 preempts 4, level 2");
        Ran nowhere = console.run("lab", "run", "tree", "--html", folder.resolve("no/page.html").toString());
        assertThat(nowhere.exit()).isEqualTo(Exit.USAGE);
        assertThat(nowhere.err()).contains("cannot write");
    }

    @Test
    void aFileThatMakesNoSenseIsOneSentenceWithItsLine() throws IOException {
        Ran ran = console.run("lab", "run", file(SCENARIO.replace("lanes = 1", "lanes = -1")));

        assertThat(ran.exit()).isEqualTo(Exit.CONFIGURATION);
        assertThat(ran.err()).contains("mine.toml:3: transport: lanes = -1 is not a whole number from 0")
                .hasLineCount(1);
        assertThat(ran.out()).isEmpty();
    }

    @Test
    void aFileThatIsNotThereIsWrongUsage() {
        assertThat(console.run("lab", "run", "nothing").exit()).isEqualTo(Exit.USAGE);
        assertThat(console.run("lab", "run", "nothing").err()).contains("mta lab list");
        assertThat(console.run("lab", "list", "--show", "nothing").exit()).isEqualTo(Exit.USAGE);
    }

    @Test
    void twoRunsAreComparedAndTheirSeriesWritten() throws IOException {
        Path figures = folder.resolve("figures");
        Ran ran = console.run("lab", "run", "ten-two-two", "--compare", "order=fifo", "--csv", figures.toString(),
                "--json",
                folder.resolve("all.json").toString(), "--svg", folder.resolve("all.svg").toString());

        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains("== as written", "== order=fifo", "== compared",
                "sequence  1×4 2×2 1×4 3×2 1×2", "sequence  1×10 2×2 3×2");
        assertThat(figures.resolve("queue.csv")).content().startsWith("run,message,at_ms,waiting,deferred,under_way");
        assertThat(folder.resolve("all.json")).content().contains("\"order=fifo\"");
        assertThat(folder.resolve("all.svg")).content().startsWith("<svg");
    }

    @Test
    void aChangedKeyIsForThisRunOnly() throws IOException {
        Ran ran = console.run("lab", "run", file(SCENARIO + "[expect]\nsequence = \"a b\"\n"), "--set",
                "messages.a.at=5s");

        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains("sequence  b a", "expectations are not checked: the run has messages.a.at=5s");
        assertThat(console.run("lab", "run", "tree", "--set", "ordr=fifo"))
                .matches(it -> it.exit() == Exit.CONFIGURATION)
                .extracting(Ran::err).asString().contains("did you mean \"order\"?");
    }
}
