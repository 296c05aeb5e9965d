package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/// The launcher records this for its cache; a command that fails in it would be missing in the
/// cache.
class CommandWarmUpTest {
    @TempDir
    Path home;

    @Test
    void everyCommandOfTheWarmUpSucceedsAndNothingIsPrinted() {
        Console.Ran ran = new Console(home).run("warm-up", "--commands");
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out()).isEmpty();
        assertThat(ran.exit()).isZero();
        assertThat(home).as("it has a folder of its own").isEmptyDirectory();
    }
}
