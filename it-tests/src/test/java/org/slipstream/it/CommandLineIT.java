package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// The commands of the program that need no server.
class CommandLineIT {
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void helpNamesTheCommandsAndTheExitCodes() {
        var help = Program.run(bench.home(), "--help").mustSucceed().out();
        assertThat(help).contains("run", "check", "send", "queue", "status", "completion", "--home");
        assertThat(help).as("the documented exit codes").contains("70");
        for (var command : List.of("run", "check", "send", "queue", "status")) {
            assertThat(Program.run(bench.home(), command, "--help").mustSucceed().out()).as(command)
                    .containsIgnoringCase("usage").containsIgnoringCase("example");
        }
    }

    @Test
    void versionSaysWhatRuns() {
        assertThat(Program.run(bench.home(), "--version").mustSucceed().out()).containsPattern("\\d+\\.\\d+\\.\\d+")
                .contains("Java 25");
    }

    @Test
    void completionIsAScriptThatBashUnderstands() throws IOException {
        var script = Program.run(bench.home(), "completion").mustSucceed().out();
        var file = Files.writeString(bench.folder().resolve("completion"), script);
        ProgramRun.of("bash", "-n", file.toString()).mustSucceed();
        assertThat(ProgramRun.of("bash", "-c", "source " + file + " && complete -p mta").mustSucceed().out())
                .contains("mta");
    }

    @Test
    void askingForHelpMakesNoHome() throws IOException {
        var home = bench.folder().resolve("home");
        Program.run(home, "--help").mustSucceed();
        Program.run(home, "status");
        assertThat(home).doesNotExist();
    }
}
