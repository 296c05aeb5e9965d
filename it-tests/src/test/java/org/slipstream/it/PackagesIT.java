package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.fixture.BuiltPackages;
import org.slipstream.it.fixture.RequiresEngine;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.SystemdMachine;
import org.slipstream.testkit.server.ProgramRun;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The packages: built twice, installed on a Debian without Java, started, used, and removed.
@RequiresEngine
@RequiresPrograms({"busybox", "docker", "dpkg-deb", "lintian", "strip", "tini"})
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class PackagesIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final String BASE = Optional.ofNullable(System.getenv("IT_BASE_IMAGE")).orElse("debian:bookworm");
    private static final long MOST_BYTES = 120_000_000;
    private static final Duration STOP = Duration.ofSeconds(10);

    @TempDir
    private static Path folder;
    private static Path packages;

    @BeforeAll
    static void build() throws Exception {
        packages = BuiltPackages.folder();
        docker("load", "-i", BuiltPackages.image().toString());
    }

    @Test
    void twoBuildsHaveEqualBytes() throws Exception {
        Path second = folder.resolve("second");
        BuiltPackages.build(second);
        assertThat(BuiltPackages.files(packages)).hasSize(3);
        for (Path each : BuiltPackages.files(packages)) {
            assertThat(Files.mismatch(each, second.resolve(each.getFileName().toString())))
                    .as(each.getFileName().toString()).isEqualTo(-1);
        }
    }

    @Test
    void lintianFindsNoErrorAndNoWarningInTheDebianPackage() throws Exception {
        Path deb = BuiltPackages.files(packages).stream().filter(each -> each.toString().endsWith(".deb")).findFirst()
                .orElseThrow();
        ProgramRun lintian = ProgramRun.within(Duration.ofMinutes(3), "lintian", "--allow-root", "--tag-display-limit",
                "0", "--fail-on",
                "error,warning", deb.toString());
        assertThat(lintian.exit()).as(lintian.out() + lintian.err()).isZero();
    }

    @Test
    void theArchiveRunsOnASystemWithoutJava() throws Exception {
        runInDebian("package-tar.sh");
    }

    @Test
    void theDebianPackageIsInstalledUsedUpgradedAndPurgedAndKeepsTheMail() throws Exception {
        assertThat(runInDebian("package-deb.sh")).contains("== done");
    }

    /// The unit's restrictions hold only under systemd itself.
    @Test
    void theUnitStartsReloadsAndStopsUnderSystemd() throws Exception {
        try (var machine = SystemdMachine.start("slipstream-it/systemd", "bookworm", "", "mail.example.net", "-v",
                ROOT.resolve("it-tests/src/test/scripts") + ":/scripts:ro")) {
            ProgramRun story = machine.run("sh", "/scripts/package-systemd.sh");
            assertThat(story.out()).as(story.err()).contains("== done");
        }
    }

    /// Each health check is a process of its own, and the first one makes a cache aside.
    @Test
    void theImageIsSmallRunsWithoutRootIsHealthyLearnsOnceAndStopsInTime() throws Exception {
        assertThat(Long.parseLong(docker("image", "inspect", "-f", "{{.Size}}", "slipstream"))).isLessThan(MOST_BYTES);
        String mail = docker("run", "-d", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--health-interval",
                "2s", "-e", "SLIPSTREAM_SET=hostname=mx.example.org", "slipstream");
        try {
            awaitHealthy(mail);
            assertThat(docker("exec", mail, "id", "-u")).isNotEqualTo("0");
            assertThat(docker("exec", mail, "mta", "status")).contains("mx.example.org");
            docker("exec", mail, "mta", "send", "--server", "127.0.0.1:2525", "--from", "me@mx.example.org", "--to",
                    "postmaster@mx.example.org", "--text", "It works.");
            // The folder of mailboxes is made with the first mail, and a file changes its folder when it is complete.
            eventually().until(() -> !docker("exec", mail, "sh", "-c",
                    "find /var/lib/slipstream/mail -path '*/new/*' -type f 2>/dev/null || true").isEmpty());
            String cache = "/var/lib/slipstream/cache/commands.aot";
            // It is made once, with the lowest priority.
            eventually().atMost(Duration.ofMinutes(5))
                    .until(() -> docker("exec", mail, "ls", "/var/lib/slipstream/cache").lines()
                            .filter(name -> name.startsWith("commands")).toList()
                            .equals(List.of("commands.aot", "commands.aot.jdk")));
            String learnt = docker("exec", mail, "date", "-r", cache, "-Ins");
            // A process may end between the list and the look.
            eventually()
                    .until(() -> docker("exec", mail, "sh", "-c", "cat /proc/[0-9]*/status 2>/dev/null | grep ^State:")
                            .lines().noneMatch(state -> state.contains("zombie")));
            docker("restart", mail);
            awaitHealthy(mail);
            assertThat(docker("exec", "-e", "SLIPSTREAM_JAVA_OPTS=-XX:+PrintCommandLineFlags", mail, "mta", "status"))
                    .contains("-XX:AOTCache=" + cache);
            assertThat(docker("exec", mail, "date", "-r", cache, "-Ins")).isEqualTo(learnt);
            long started = System.nanoTime();
            docker("stop", "-t", Long.toString(2 * STOP.toSeconds()), mail);
            assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(STOP);
            assertThat(docker("inspect", "-f", "{{.State.ExitCode}}", mail)).isEqualTo("0");
        } finally {
            docker("rm", "-f", "-v", mail);
        }
    }

    @Test
    void anUnknownSettingOfTheEnvironmentIsOneSentenceWithItsPlace() throws Exception {
        ProgramRun start = ProgramRun.of("docker", "run", "--rm", "-e", "SLIPSTREAM_SET=hostnam=mx.example.org",
                "slipstream");
        assertThat(start.exit()).isEqualTo(78);
        assertThat(start.err().lines()).singleElement().asString().contains("SLIPSTREAM_SET", "hostnam");
    }

    private static void awaitHealthy(String container) {
        eventually().until(() -> docker("inspect", "-f", "{{.State.Health.Status}}", container).equals("healthy"));
    }

    /// The port of SMTP is closed to other users than root, as on a machine outside of containers.
    private static String runInDebian(String script) throws Exception {
        Path log = folder.resolve(script + ".log");
        Process run = new ProcessBuilder("docker", "run", "--rm", "--network", "none", "--hostname", "mail.example.net",
                "--sysctl",
                "net.ipv4.ip_unprivileged_port_start=1024", "-v", packages + ":/packages:ro", "-v",
                ROOT.resolve("it-tests/src/test/scripts") + ":/scripts:ro", BASE, "sh", "/scripts/" + script)
                .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        boolean ended = run.waitFor(4, TimeUnit.MINUTES);
        String text = Files.readString(log);
        assertThat(ended).as(text).isTrue();
        assertThat(run.exitValue()).as(text).isZero();
        return text;
    }

    private static String docker(String... arguments) {
        return ProgramRun.of(Stream.concat(Stream.of("docker"), Stream.of(arguments)).toArray(String[]::new))
                .mustSucceed().out().strip();
    }
}
