package org.slipstream.server;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirDeletionStrategy;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/// The launcher script, with a Maven and a Java that only record their arguments.
class LauncherTest {
    /// The launcher makes its cache in the background, perhaps while the folder is deleted.
    @TempDir(deletionStrategy = TempDirDeletionStrategy.IgnoreFailures.class)
    Path folder;
    private Path tree;
    private Path tools;

    @BeforeEach
    void aSourceTree() throws IOException {
        tree = Files.createDirectories(folder.resolve("tree with blank"));
        tools = Files.createDirectories(folder.resolve("tools"));
        script(tree.resolve("mta"), Files.readString(Path.of("../mta")));
        script(tree.resolve("build/find-jdk"), "#!/bin/sh\necho '" + folder.resolve("jdk") + "'\n");
        script(folder.resolve("jdk/bin/java"), """
                #!/bin/sh
                for each in "$@"; do
                    case $each in
                        -XX:AOTCacheOutput=*)
                            [ ! -f "$0.fails" ] || { echo >>"$0.fails"; exit 1; }
                            [ -f "$0.old" ] || echo "$@" >"${each#*=}"
                            [ ! -f "$0.replace" ] || { lock=${each#*=}; rm -r "${lock%.new}.lock"; }
                            exit ;;
                    esac
                done
                printf 'java'; printf ' [%s]' "$@"; echo
                echo "as $(id -u)"
                cat
                """);
        old(Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=25"));
        script(tools.resolve("mvn"), """
                #!/bin/sh
                echo "maven in $(pwd): $*"
                cat >/dev/null
                [ -f broken ] && exit 1
                mkdir -p mta-dist/target/slipstream/lib
                touch mta-dist/target/slipstream/.built
                """);
        Files.writeString(tree.resolve("pom.xml"), "<project/>");
        old(Files.writeString(Files.createDirectories(tree.resolve("mta-core/src/main/java")).resolve("A.java"), ""));
        Files.createDirectories(tree.resolve("mta-dist"));
        try (var all = Files.walk(tree)) {
            for (Path each : all.toList()) {
                old(each);
            }
        }
    }

    @Test
    void theFirstCallBuildsAndTheSecondDoesNot() throws Exception {
        ProgramRun first = run(tree, "mail", "./mta", "send", "--to", "a b");
        assertThat(first.exit()).isZero();
        assertThat(first.err()).contains("building the program", "maven in " + tree);
        assertThat(first.out()).contains("[" + tree + "/mta-dist/target/slipstream/lib/",
                "[org.slipstream.server.Main] [send] [--to] [a b]").doesNotContain("maven");
        assertThat(first.out()).as("standard input belongs to the program").endsWith("mail");
        ProgramRun second = run(tree, "", "./mta", "status");
        assertThat(second.err()).isEmpty();
        assertThat(tree.resolve("mta-dist/target/build.lock")).doesNotExist();
    }

    @Test
    void aChangedSourceAndARemovedOneAreReasonsToBuild() throws Exception {
        run(tree, "", "./mta", "status");
        Files.setLastModifiedTime(tree.resolve("mta-core/src/main/java/A.java"),
                FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(run(tree, "", "./mta", "status").err()).contains("maven in");
        old(tree.resolve("mta-core/src/main/java/A.java"));
        run(tree, "", "./mta", "status");
        assertThat(run(tree, "", "./mta", "status").err()).isEmpty();
        Files.delete(tree.resolve("mta-core/src/main/java/A.java"));
        Files.setLastModifiedTime(tree.resolve("mta-core/src/main/java"),
                FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(run(tree, "", "./mta", "status").err()).contains("maven in");
    }

    @Test
    void itIsFoundThroughLinksAndFromAnywhere() throws Exception {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("first"), Path.of("../tree with blank/mta"));
        Files.createSymbolicLink(bin.resolve("mta"), bin.resolve("first"));
        ProgramRun ran = run(folder, "", "bin/mta", "status");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains("[-cp] [" + tree + "/mta-dist/target/slipstream/lib/");
    }

    @Test
    void aBuildThatFailsStartsNothing() throws Exception {
        Files.writeString(tree.resolve("broken"), "");
        ProgramRun ran = run(tree, "", "./mta", "status");
        assertThat(ran.exit()).isEqualTo(3);
        assertThat(ran.err()).contains("the build failed");
        assertThat(ran.out()).isEmpty();
        assertThat(tree.resolve("mta-dist/target/build.lock")).doesNotExist();
    }

    @Test
    void theLockOfABuildThatWasKilledIsTakenOver() throws Exception {
        Path lock = Files.createDirectories(tree.resolve("mta-dist/target/build.lock"));
        Process gone = new ProcessBuilder("true").start();
        assertThat(gone.waitFor(10, TimeUnit.SECONDS)).isTrue();
        Files.writeString(lock.resolve("pid"), Long.toString(gone.pid()));
        assertThat(run(tree, "", "./mta", "status").exit()).isZero();
    }

    @Test
    void aPackagedProgramBuildsNothing() throws Exception {
        Files.delete(tree.resolve("pom.xml"));
        ProgramRun ran = run(tree, "", "./mta", "status");
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out()).contains("[-cp] [" + tree + "/lib/");
    }

    /// The server must be able to read the files that root writes into its home, and `check` must see as
    /// the server sees.
    @Test
    void aCommandOfRootForTheServersFilesRunsAsTheOwnerOfTheHome() throws Exception {
        assumeThat((int) Files.getAttribute(folder, "unix:uid")).isZero();
        Files.delete(tree.resolve("pom.xml"));
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectories(tree.resolve("lib"));
        Files.setAttribute(home, "unix:uid", 65534);
        assertThat(run(tree, "", "./mta", "--home", home.toString(), "user", "list").out()).contains("as 65534");
        assertThat(run(tree, "", "./mta", "check", "--home", home.toString()).out()).contains("as 65534");
        assertThat(run(tree, "", "./mta", "--home", home.toString(), "shard", "list").out()).contains("as 0");
        assertThat(run(tree, "", "./mta", "--home", home.toString(), "status").out()).contains("as 0");
        Files.setAttribute(home, "unix:uid", 0);
        assertThat(run(tree, "", "./mta", "check", "--home", home.toString()).out()).contains("as 0");
    }

    @Test
    void theServerGetsOtherOptionsThanACommandAndTheOperatorsComeLast() throws Exception {
        Files.delete(tree.resolve("pom.xml"));
        String command = run(tree, "", "./mta", "--home", "x", "status").out();
        assertThat(command).contains("[-XX:TieredStopAtLevel=1]").doesNotContain("CrashOnOutOfMemoryError");
        String server = run(tree, "", "./mta", "--home", "x", "run").out();
        assertThat(server).contains("[-XX:+CrashOnOutOfMemoryError]", "[-XX:ErrorFile=x/slipstream-crash.log]")
                .doesNotContain("TieredStopAtLevel");
        assertThat(server).containsSubsequence("[-Xmx512m]", "[-Xmx1g]", "[-Dx=y]", "[-cp]");
    }

    @Test
    void withoutAJdkItSaysSoInOneSentence() throws Exception {
        script(tree.resolve("build/find-jdk"), "#!/bin/sh\necho 'install a JDK' >&2\nexit 3\n");
        ProgramRun ran = run(tree, "", "./mta", "status");
        assertThat(ran.exit()).isEqualTo(3);
        assertThat(ran.err().lines()).containsExactly("install a JDK");
    }

    @Test
    void theCacheOfTheCommandsIsMadeAtTheFirstUseAndAgainForANewProgramOrJdk() throws Exception {
        Path cache = packaged().resolve("commands.aot");
        assertThat(run(tree, "", "./mta", "status").out()).doesNotContain("AOTCache");
        awaitLearnt(cache);
        assertThat(run(tree, "", "./mta", "queue", "list").out()).contains("[-XX:AOTCache=" + cache + "]");
        // Younger than the cache, and older than the next one.
        Files.setLastModifiedTime(tree.resolve("lib"), FileTime.from(Instant.now()));
        assertThat(run(tree, "", "./mta", "status").out()).doesNotContain("AOTCache");
        awaitLearnt(cache);
        Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=25.0.1");
        assertThat(run(tree, "", "./mta", "status").out()).doesNotContain("AOTCache");
        await().atMost(Duration.ofSeconds(90))
                .until(() -> run(tree, "", "./mta", "status").out().contains("[-XX:AOTCache=" + cache + "]"));
    }

    @Test
    void aJdkThatCannotKeepWhatItLearntIsNotAskedAgain() throws Exception {
        Path cache = packaged().resolve("commands.aot");
        Files.writeString(folder.resolve("jdk/bin/java.old"), "");
        run(tree, "", "./mta", "status");
        awaitLearnt(cache);
        Files.delete(folder.resolve("jdk/bin/java.old"));
        assertThat(run(tree, "", "./mta", "status").out()).doesNotContain("AOTCache");
        assertThat(cache).isEmptyFile();
    }

    @Test
    void warmUpLearnsForTheServerAndForCommandsWithTheOptionsOfEach() throws Exception {
        packaged();
        assertThat(run(tree, "", "./mta", "warm-up").exit()).isZero();
        assertThat(Files.readString(tree.resolve("slipstream.aot"))).contains("CrashOnOutOfMemoryError", "-Dx=y");
        assertThat(Files.readString(tree.resolve("commands.aot"))).contains("TieredStopAtLevel", "--commands");
        assertThat(run(tree, "", "./mta", "run").out()).contains("[-XX:AOTCache=" + tree + "/slipstream.aot]");
        assertThat(run(tree, "", "./mta", "status").out()).contains("[-XX:AOTCache=" + tree + "/commands.aot]");
    }

    /// The rest of a test may last longer than the ten seconds, so the server keeps running.
    @Test
    void aServerWithoutACacheStartsAndOneIsMadeBesideItWithoutTheOperatorsOptions() throws Exception {
        packaged();
        Process server = start(tree, "./mta", "run");
        try {
            awaitLearnt(tree.resolve("slipstream.aot"));
        } finally {
            server.destroy();
        }
        assertThat(Files.readString(tree.resolve("slipstream.aot"))).contains("CrashOnOutOfMemoryError")
                .doesNotContain("-Dx=y");
    }

    @Test
    void aCacheThatIsBeingMadeIsNotMadeASecondTime() throws Exception {
        Path cache = packaged().resolve("commands.aot");
        Process other = new ProcessBuilder("sleep", "60").start();
        try {
            Path lock = Files.createDirectories(tree.resolve("commands.aot.lock"));
            Files.writeString(lock.resolve("pid"), other.pid() + " " + startTicks(other));
            Process second = start(tree, "./mta", "warm-up", "--commands");
            await().atMost(Duration.ofSeconds(90))
                    .until(() -> Files.readString(folder.resolve("started")).contains("waiting"));
            learnt(cache, "by the first");
            other.destroy();
            assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(cache)).isEqualTo("by the first");
        } finally {
            other.destroy();
        }
    }

    @Test
    void warmUpWithoutAFolderThatItCanWriteIsOneSentence() throws Exception {
        packaged();
        ProcessBuilder builder = builder(tree, "./mta", "warm-up");
        builder.environment().put("SLIPSTREAM_CACHE", tree.resolve("mta/none").toString());
        ProgramRun ran = ProgramRun.of(new byte[0], builder);
        assertThat(ran.exit()).isEqualTo(3);
        assertThat(ran.err().lines()).singleElement().asString().contains("mta/none cannot be written");
    }

    /// A container that was killed in the middle starts again, and its processes have the same numbers.
    @Test
    void theLockOfAnEarlierProcessWithTheSameNumberIsTakenOver() throws Exception {
        Path cache = packaged().resolve("commands.aot");
        Path lock = Files.createDirectories(tree.resolve("commands.aot.lock"));
        Files.writeString(lock.resolve("pid"), ProcessHandle.current().pid() + " 1");
        run(tree, "", "./mta", "status");
        awaitLearnt(cache);
    }

    @Test
    void aCommandDoesNotRepeatWhatFailedAMomentAgo() throws Exception {
        packaged();
        Path fails = Files.writeString(folder.resolve("jdk/bin/java.fails"), "");
        Path lock = tree.resolve("commands.aot.lock");
        run(tree, "", "./mta", "status");
        await().atMost(Duration.ofSeconds(90)).until(() -> Files.size(fails) == 1 && !Files.exists(lock));
        assertThat(run(tree, "", "./mta", "status").exit()).isZero();
        assertThat(run(tree, "", "./mta", "warm-up", "--commands").exit()).as("by hand it is tried").isEqualTo(70);
        assertThat(fails).hasSize(2);
        Files.delete(fails);
        old(tree.resolve("commands.aot.tried"));
        run(tree, "", "./mta", "status");
        awaitLearnt(tree.resolve("commands.aot"));
        assertThat(tree.resolve("commands.aot.tried")).doesNotExist();
    }

    @Test
    void aCacheOfABuildThatWasReplacedIsDropped() throws Exception {
        packaged();
        Files.writeString(folder.resolve("jdk/bin/java.replace"), "");
        assertThat(run(tree, "", "./mta", "warm-up", "--commands").exit()).isZero();
        assertThat(tree.resolve("commands.aot")).doesNotExist();
    }

    @Test
    void theServerDoesNotUseTheCacheOfTheCommands() throws Exception {
        learnt(packaged().resolve("commands.aot"), "learnt");
        assertThat(run(tree, "", "./mta", "run").out()).doesNotContain("AOTCache");
    }

    private void learnt(Path cache, String what) throws IOException {
        Files.copy(folder.resolve("jdk/release"), cache.resolveSibling(cache.getFileName() + ".jdk"));
        Files.writeString(cache, what);
    }

    private static void awaitLearnt(Path cache) {
        Path lock = cache.resolveSibling(cache.getFileName() + ".lock");
        await().atMost(Duration.ofSeconds(90)).until(() -> Files.exists(cache) && !Files.exists(lock)
                && Files.getLastModifiedTime(cache)
                        .compareTo(Files.getLastModifiedTime(lock.getParent().resolve("lib"))) > 0);
    }

    private Path packaged() throws IOException {
        Files.delete(tree.resolve("pom.xml"));
        old(Files.createDirectories(tree.resolve("lib")));
        old(Files.writeString(tree.resolve(".built"), ""));
        return tree;
    }

    private ProgramRun run(Path where, String input, String... command) {
        return ProgramRun.of(input.getBytes(StandardCharsets.UTF_8), builder(where, command));
    }

    private Process start(Path where, String... command) throws IOException {
        return builder(where, command).redirectErrorStream(true).redirectOutput(folder.resolve("started").toFile())
                .start();
    }

    private ProcessBuilder builder(Path where, String... command) {
        List<String> line = new ArrayList<>(List.of(command));
        // ProcessBuilder looks for a relative program in the directory of this JVM.
        line.set(0, where.resolve(command[0]).toString());
        ProcessBuilder builder = new ProcessBuilder(line).directory(where.toFile());
        builder.environment().put("PATH", tools + ":" + System.getenv("PATH"));
        builder.environment().put("SLIPSTREAM_JAVA_OPTS", "-Xmx1g -Dx=y");
        return builder;
    }

    private static String startTicks(Process process) throws IOException {
        return Files.readString(Path.of("/proc/" + process.pid() + "/stat")).split(" ")[21];
    }

    private static void script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static void old(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(3600)));
    }
}
