package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.slipstream.cli.frame.ProgressLine;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class ProgressLineTest {
    private long nanos;

    @Test
    void nothingIsSaidInTwoSecondsAndThenOneLineASecond() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        ProgressLine line = new ProgressLine(new PrintStream(err, true, StandardCharsets.UTF_8), () -> nanos);
        for (int millis = 0; millis <= 4_500; millis += 100) {
            nanos = TimeUnit.MILLISECONDS.toNanos(millis);
            int now = millis;
            line.report(() -> "at " + now);
        }

        assertThat(err.toString(StandardCharsets.UTF_8).lines()).containsExactly("mta: at 2000 after 2 s",
                "mta: at 3000 after 3 s", "mta: at 4000 after 4 s");
    }
}
