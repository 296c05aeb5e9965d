package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// Every manual page of the packaged program renders without a warning, by both programs that
/// systems use for that.
@RequiresPrograms({"groff", "man", "mandoc"})
class ManualPagesIT {
    private static final ProgramRun SILENT = new ProgramRun(0, "", "");

    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void everyPageRendersWithoutAWarning() throws IOException {
        var folder = bench.folder();
        Program.run(folder, "man", "--to", folder.toString()).mustSucceed();
        List<String> pages;
        try (var files = Files.list(folder)) {
            pages = files.map(Path::toString).filter(file -> file.matches(".*\\.[15]")).sorted().toList();
        }
        assertThat(pages).hasSizeGreaterThan(25).anyMatch(page -> page.endsWith("/sendmail.1"))
                .anyMatch(page -> page.endsWith("/mta.toml.5"));
        assertThat(pages).allSatisfy(page -> {
            assertThat(ProgramRun.of("groff", "-man", "-ww", "-Tutf8", "-z", page)).isEqualTo(SILENT);
            assertThat(ProgramRun.of("man", "--warnings", "-E", "UTF-8", "-l", page).mustSucceed().err()).isEmpty();
        });
        var lint = new ArrayList<>(List.of("mandoc", "-T", "lint", "-W", "warning"));
        lint.addAll(pages);
        assertThat(ProgramRun.of(new byte[0], lint)).isEqualTo(SILENT);
    }
}
