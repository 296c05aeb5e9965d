package org.slipstream.it;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.fixture.Program;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// A changed scheduler in a source tree: the laboratory compiles the changed modules alone. Maven
/// is not there to help.
class LabBuildIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PREEMPTION = Path.of("mta-qmgr/src/main/java/org/slipstream/qmgr/sched/Preemption.java");
    private static final String RULE = "rules.slotLoan() >= need";

    /// For a build on a machine that may have other work.
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    @TempDir
    private Path tree;

    @BeforeEach
    void copySourcesAndProgram() throws IOException {
        copy(Path.of("mta"));
        copy(Path.of("pom.xml"));
        copy(Path.of("build"));
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.filter(each -> Files.isDirectory(each.resolve("src/main"))).toList()) {
                copy(ROOT.relativize(module).resolve("pom.xml"));
                copy(ROOT.relativize(module).resolve("src/main"));
            }
        }
        Path program = tree.resolve("mta-dist/target/slipstream");
        copy(Program.folder(), program);
        // As after a build: the program is younger than all sources.
        Files.setLastModifiedTime(program.resolve(".built"), FileTime.from(Instant.now()));
    }

    /// As after a build with tests: it leaves caches of the program's classes. A build without tests
    /// leaves none, and a file of the same name stands for one.
    private void keepCachesThatFit() throws IOException {
        Path program = tree.resolve("mta-dist/target/slipstream");
        String jdk = ProgramRun.of("sh", tree.resolve("build/find-jdk").toString()).mustSucceed().out().strip();
        for (String name : List.of("slipstream.aot", "commands.aot")) {
            Path cache = program.resolve(name);
            if (!Files.exists(cache)) {
                Files.writeString(cache, "no cache");
            }
            Files.copy(Path.of(jdk, "release"), program.resolve(name + ".jdk"), StandardCopyOption.REPLACE_EXISTING);
            Files.setLastModifiedTime(cache, FileTime.from(Instant.now().plusSeconds(1)));
        }
    }

    private void copy(Path path) throws IOException {
        copy(ROOT.resolve(path), tree.resolve(path));
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        try (Stream<Path> files = Files.walk(from)) {
            files.forEach(each -> {
                try {
                    Files.copy(each, to.resolve(from.relativize(each)));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /// It compiles some modules, on a machine that may have other work.
    private ProgramRun lab() {
        return ProgramRun.within(PATIENCE, tree.resolve("mta").toString(), "lab", "run", "ten-two-two");
    }

    private void change(String to) throws IOException {
        Path file = tree.resolve(PREEMPTION);
        String source = Files.readString(file);
        assertThat(source).contains(RULE);
        Files.writeString(file, source.replace(RULE, to));
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(2)));
    }

    @Test
    void oneChangedLineOfTheSchedulerIsSeenWithoutABuildOfTheProgram() throws IOException {
        assertThat(lab().mustSucceed().out()).contains("sequence  1×4 2×2 1×4 3×2 1×2");

        change("rules.slotLoan() + 1000 >= need");
        ProgramRun changed = lab();

        assertThat(changed.out()).contains("sequence  1 2×2");
        assertThat(changed.err()).contains("compiling").contains("mta-qmgr", "mta-lab", "mta-dist")
                .doesNotContain("mta-spool", "building the program");
    }

    @Test
    void aCacheOfTheOldClassesDoesNotHideTheChangedLine() throws IOException {
        keepCachesThatFit();
        change("rules.slotLoan() + 1000 >= need");
        var builder = new ProcessBuilder(tree.resolve("mta").toString(), "lab", "run", "ten-two-two");
        builder.environment().put("SLIPSTREAM_JAVA_OPTS", "-XX:+PrintCommandLineFlags");
        ProgramRun changed = ProgramRun.within(PATIENCE, builder);

        assertThat(changed.out()).contains("sequence  1 2×2").doesNotContain("AOTCache");
    }

    @Test
    void aLineThatDoesNotCompileIsShownWithItsFile() throws IOException {
        change("rules.nothing() >= need");
        ProgramRun changed = lab();

        assertThat(changed.exit()).isEqualTo(3);
        assertThat(List.of(changed.err().split("\n"))).anyMatch(line -> line.contains("Preemption.java:"));
        assertThat(changed.out()).isEmpty();
    }
}
