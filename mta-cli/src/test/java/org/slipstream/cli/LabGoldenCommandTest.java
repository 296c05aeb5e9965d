package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cli.frame.Exit;

import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class LabGoldenCommandTest {
    private static final String TRACES = "../mta-lab/src/test/resources/golden/";

    @TempDir
    private Path home;

    @Test
    void aTraceThatIsEqualEndsWithZero() {
        Console.Ran ran = new Console(home).run("lab", "golden", TRACES + "a10-loan-only.json");

        assertThat(ran.exit()).isZero();
        assertThat(ran.out().lines()).hasSize(2).first().asString().startsWith("a10-loan-only: ok, ");
    }

    @Test
    void aFolderThatDoesNotExistIsWrongUsage() {
        Console.Ran ran = new Console(home).run("lab", "golden", TRACES + "nowhere");

        assertThat(ran.exit()).isEqualTo(Exit.USAGE);
        assertThat(ran.err()).contains("there is no ").hasLineCount(1);
        assertThat(new Console(home).run("lab", "golden", "--help").out()).contains("Exit codes:", "Examples:");
    }
}
