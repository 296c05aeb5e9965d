package org.slipstream.lab.golden;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// Row by row as the running original decided.
class GoldenTest {
    static List<Path> files() throws IOException, URISyntaxException {
        return Golden.files(Path.of(GoldenTest.class.getResource("/golden").toURI()));
    }

    @ParameterizedTest
    @MethodSource("files")
    @Tag("PF-01")
    @Tag("PF-24")
    @Tag("PF-40")
    void theQueueManagerDecidesAsTheOriginal(Path file) throws IOException {
        Golden.Verdict verdict = Golden.judge(file);
        assertThat(verdict.difference()).as(verdict.file()).isEmpty();
        assertThat(verdict.selections()).isPositive();
    }
}
