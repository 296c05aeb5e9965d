package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.it.fixture.BuiltPackages;
import org.slipstream.it.fixture.PageStory;
import org.slipstream.it.fixture.RequiresEngine;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.testkit.server.ProgramRun;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The first hour of an administrator: the commands and files of the pages, as they stand, in a bare
/// Debian 12 and 13 with the package of this source tree. The machine has no Internet.
@RequiresEngine
@RequiresPrograms({"docker", "dpkg-deb"})
class FirstHourIT {
    private static final List<String> PAGES = List.of("install.md", "settings-first.md", "internet.md", "dovecot.md",
            "rspamd.md", "sendmail.md", "reload.md");
    private static final String PACKAGES = "systemd systemd-sysv dbus sudo openssl dovecot-core dovecot-imapd"
            + " dovecot-lmtpd rspamd";
    /// In place of the programs that need the Internet or a terminal: certbot makes a certificate of
    /// its own and runs the hook.
    private static final String CERTBOT = """
            #!/bin/sh
            set -e
            export RENEWED_LINEAGE=/etc/letsencrypt/live/mail.example.org
            mkdir -p "$RENEWED_LINEAGE"
            openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=mail.example.org \\
                -addext subjectAltName=DNS:mail.example.org \\
                -keyout "$RENEWED_LINEAGE/privkey.pem" -out "$RENEWED_LINEAGE/fullchain.pem" 2>/dev/null
            chmod 700 /etc/letsencrypt/live
            while [ "$1" != --deploy-hook ]; do shift; done
            "$2"
            """;
    /// Answers both questions of a new password, for each of the users.
    private static final String PASSWORDS = "yes 'open sesame' | ";

    @ParameterizedTest
    @CsvSource({"12,bookworm", "13,trixie"})
    void thePagesLeadFromNothingToMail(String release, String name) throws Exception {
        String machine = start(name);
        try {
            write(machine, "/usr/local/bin/certbot", CERTBOT);
            docker("exec", machine, "chmod", "+x", "/usr/local/bin/certbot");
            write(machine, "/etc/sudoers.d/cache", "Defaults env_keep += \"SLIPSTREAM_CACHE\"\n");
            for (String page : PAGES) {
                PageStory.of(page, release).forEach(step -> take(machine, page, step));
            }
            docker("exec", machine, "mta", "send", "--from", "alice@example.org", "--to", "alice@example.org", "--text",
                    "Signed.");
            eventually().untilAsserted(() -> assertThat(
                    docker("exec", machine, "sh", "-c", "cat /var/vmail/example.org/alice/Maildir/*/*"))
                    .contains("DKIM-Signature:", "How are you?", "Signed."));
        } finally {
            docker("rm", "-f", "-v", machine);
        }
    }

    @Test
    void eachPageHasCommandsThatRun() {
        assertThat(PAGES).allSatisfy(page -> assertThat(PageStory.of(page, "12"))
                .anyMatch(PageStory.Commands.class::isInstance));
    }

    private static void take(String machine, String page, PageStory.Step step) {
        switch (step) {
            case PageStory.WrittenFile(String path, String text) -> write(machine, path, text);
            case PageStory.Commands(String text, String prints) when prints.isEmpty() -> {
                ProgramRun ran = run(machine, text);
                assertThat(ran.exit()).as(page + ":\n" + text + ran.out() + ran.err()).isZero();
            }
            // Delivery and restarts take a moment.
            case PageStory.Commands(String text, String prints) -> {
                AtomicReference<String> last = new AtomicReference<>("");
                eventually().untilAsserted(() -> {
                    ProgramRun ran = run(machine, text);
                    last.set(last.get() + ran.out() + ran.err());
                    assertThat(last.get()).as(page + ":\n" + text).contains(prints);
                });
            }
        }
    }

    /// Learning takes a quarter of a minute, and another test has it.
    private static ProgramRun run(String machine, String commands) {
        return ProgramRun.of("docker", "exec", "-e", "SLIPSTREAM_CACHE=/proc/none", "-w", "/packages", machine, "bash",
                "-c", PASSWORDS + "(\nset -e\n" + commands + ")");
    }

    private static void write(String machine, String path, String text) {
        docker("exec", machine, "sh", "-c", "printf %s \"$1\" >\"$2\"", "sh", text, path);
    }

    /// A machine whose first process is systemd, with the packages that the pages name. Its image is
    /// made once.
    private static String start(String release) throws Exception {
        String base = Optional.ofNullable(System.getenv("IT_BASE_IMAGE")).orElse("debian:bookworm")
                .replace("bookworm", release);
        String image = "slipstream-it/first-hour-" + release;
        if (ProgramRun.of("docker", "image", "inspect", image).exit() != 0) {
            String made = docker("run", "-d", "--network", "host", base, "sh", "-c", "apt-get -q update && "
                    + "DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends " + PACKAGES);
            assertThat(docker("wait", made)).as(docker("logs", made)).isEqualTo("0");
            docker("commit", made, image);
            docker("rm", made);
        }
        String machine = docker("run", "-d", "--cap-add", "SYS_ADMIN", "--security-opt", "seccomp=unconfined",
                "--cgroupns", "host", "-v", "/sys/fs/cgroup:/sys/fs/cgroup:rw", "--network", "none", "--hostname",
                "mail.example.org", "--tmpfs", "/run", "--tmpfs", "/run/lock", "-v",
                BuiltPackages.folder() + ":/packages:ro", image, "/sbin/init");
        eventually().until(() -> ProgramRun.of("docker", "exec", machine, "systemctl", "is-system-running").out()
                .strip().matches("running|degraded"));
        return machine;
    }

    private static String docker(String... arguments) {
        return ProgramRun.of(Stream.concat(Stream.of("docker"), Stream.of(arguments)).toArray(String[]::new))
                .mustSucceed().out().strip();
    }
}
