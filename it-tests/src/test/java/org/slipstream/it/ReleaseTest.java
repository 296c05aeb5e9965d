package org.slipstream.it;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// `build/release` in a small repository, whose `build/package` is a stub.
class ReleaseTest {
    private static final Path SCRIPT = Path.of("..", "build", "release").toAbsolutePath();
    private static final String POM = """
            <project>
              <version>0.1.0-SNAPSHOT</version>
              <project.build.outputTimestamp>2020-01-01T00:00:00Z</project.build.outputTimestamp>
              <other.version>0.1.0-SNAPSHOT</other.version>
            </project>
            """;
    private static final String PACKAGE = """
            #!/bin/sh
            root=$(cd "$(dirname "$0")/.." && pwd)
            mkdir -p "$root/mta-dist/target/slipstream"
            echo bom >"$root/mta-dist/target/slipstream/sbom.xml"
            echo packed >"$3/slipstream.deb"
            """;

    @TempDir
    Path repository;

    private record Run(int exit, String out) {}

    @BeforeEach
    void commit() throws Exception {
        write("build/package", PACKAGE);
        write("pom.xml", POM);
        write("part/pom.xml", "<parent>\n  <version>0.1.0-SNAPSHOT</version>\n</parent>\n");
        write("examples/one/pom.xml", "<slipstream.version>0.1.0-SNAPSHOT</slipstream.version>\n");
        write("examples/one/README.md", "`slipstream-0.1.0-SNAPSHOT.tar.gz`\n");
        write("CHANGELOG.md", "# Changes\n\n## Unreleased\n\nIt is the first.\n\n## Diary\n\nLong ago.\n");
        write(".gitignore", "target/\n");
        Files.copy(SCRIPT, repository.resolve("build/release"));
        assertThat(Stream.of("package", "release").map(name -> repository.resolve("build").resolve(name).toFile())
                .allMatch(script -> script.setExecutable(true))).isTrue();
        run("git", "init", "-q");
        run("git", "add", "-A");
        run("git", "commit", "-qm", "Begin");
    }

    @Test
    void aReleaseHasItsVersionEverywhereAndATag() throws Exception {
        assertThat(release("prepare", "0.1.0").exit()).isZero();
        assertThat(
                Stream.of("pom.xml", "part/pom.xml", "examples/one/pom.xml", "examples/one/README.md").map(this::read)
                        .toList())
                .allSatisfy(text -> assertThat(text).contains("0.1.0"));
        assertThat(read("pom.xml")).contains("<version>0.1.0</version>",
                "<other.version>0.1.0-SNAPSHOT</other.version>").doesNotContain("2020-01-01");
        assertThat(read("examples/one/README.md")).isEqualTo("`slipstream-0.1.0.tar.gz`\n");
        assertThat(read("CHANGELOG.md")).containsPattern("(?m)^## 0\\.1\\.0 - \\d{4}-\\d\\d-\\d\\d$");
        assertThat(run("git", "describe", "--exact-match").out()).isEqualTo("v0.1.0\n");
        assertThat(run("git", "status", "--porcelain").out()).isEmpty();

        assertThat(release("begin", "0.2.0").exit()).isZero();
        assertThat(read("part/pom.xml")).contains("<version>0.2.0-SNAPSHOT</version>");
        assertThat(read("CHANGELOG.md")).containsSubsequence("## Unreleased\n", "## 0.1.0 - ", "## Diary\n");
    }

    @Test
    void theFilesComeFromTheTagAndHaveChecksums() throws Exception {
        release("prepare", "0.1.0");
        write("CHANGELOG.md", "changed since\n");
        assertThat(release("twice", "0.1.0").out()).contains("the same bytes  slipstream.deb");
        Path files = repository.resolve("target/release");
        assertThat(Files.readString(files.resolve("NOTES.md")).strip()).isEqualTo("It is the first.");
        assertThat(run("sh", "-c", "cd target/release && sha256sum -c SHA256SUMS").out())
                .contains("slipstream.deb: OK", "slipstream-0.1.0-sbom.xml: OK", "NOTES.md: OK");
    }

    @Test
    void aPackageThatDependsOnItsPlaceIsNamed() throws Exception {
        write("build/package", PACKAGE.replace("echo packed", "echo \"$root\""));
        run("git", "commit", "-qam", "The package has its place in it");
        release("prepare", "0.1.0");
        Run twice = release("twice", "0.1.0");
        assertThat(twice.exit()).isEqualTo(1);
        assertThat(twice.out()).contains("different       slipstream.deb", "the same bytes  NOTES.md");
        Path second = Path.of(twice.out().strip().replaceFirst("(?s).* ", ""));
        assertThat(second.resolve("slipstream.deb")).exists();
        run("rm", "-r", second.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "true                       | prepare 0.01.0   | is no version",
            "true                       | prepare 0.1.0.0  | is no version",
            "true                       | prepare 0.3.0    | build/release begin 0.3.0",
            "true                       | files 0.1.0      | there is no tag v0.1.0",
            "touch new                  | prepare 0.1.0    | git stash -u",
            "git tag v0.1.0             | prepare 0.1.0    | the tag v0.1.0 is there already",
            "sed -i s/Unreleased/No/ CHANGELOG.md && git commit -qam no | prepare 0.1.0 | no line \"## Unreleased\""})
    void whatIsAmissIsToldAndNothingChanges(String before, String arguments, String sentence) throws Exception {
        run("sh", "-c", before);
        String head = run("git", "rev-parse", "HEAD").out();
        Run refused = release(arguments.split(" "));
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.out()).startsWith("build/release: ").contains(sentence);
        assertThat(run("git", "rev-parse", "HEAD").out()).isEqualTo(head);
        assertThat(run("git", "diff", "HEAD").out()).isEmpty();
    }

    private Run release(String... arguments) throws Exception {
        return run(Stream.concat(Stream.of("build/release"), Arrays.stream(arguments)).toArray(String[]::new));
    }

    private Run run(String... command) throws Exception {
        var builder = new ProcessBuilder(command).directory(repository.toFile()).redirectErrorStream(true);
        for (String who : new String[]{"AUTHOR", "COMMITTER"}) {
            builder.environment().put("GIT_" + who + "_NAME", "Ann");
            builder.environment().put("GIT_" + who + "_EMAIL", "ann@example.org");
        }
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), out);
    }

    private void write(String name, String text) throws IOException {
        Path file = repository.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private String read(String name) {
        try {
            return Files.readString(repository.resolve(name));
        } catch (IOException gone) {
            throw new AssertionError(gone);
        }
    }
}
