package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.it.fixture.PageStory;
import org.slipstream.it.fixture.RequiresEngine;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.SystemdMachine;
import org.slipstream.testkit.server.ProgramRun;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The first hour of an administrator: the commands and files of the pages, as they stand, in a bare
/// Debian 12 and 13 with the package of this source tree. The machine has no Internet.
@RequiresEngine
@RequiresPrograms({"docker", "dpkg-deb"})
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class FirstHourIT {
    private static final List<String> PAGES = List.of("install.md", "settings-first.md", "internet.md", "dovecot.md",
            "rspamd.md", "sendmail.md", "reload.md");
    private static final String PACKAGES = "sudo openssl dovecot-core dovecot-imapd"
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
        try (var machine = SystemdMachine.start("slipstream-it/first-hour-" + name, name, PACKAGES,
                "mail.example.org")) {
            machine.write("/usr/local/bin/certbot", CERTBOT);
            machine.run("chmod", "+x", "/usr/local/bin/certbot").mustSucceed();
            machine.write("/etc/sudoers.d/cache", "Defaults env_keep += \"SLIPSTREAM_CACHE\"\n");
            for (String page : PAGES) {
                PageStory.of(page, release).forEach(step -> take(machine, page, step));
            }
            machine.run("mta", "send", "--from", "alice@example.org", "--to", "alice@example.org", "--text", "Signed.")
                    .mustSucceed();
            eventually().untilAsserted(() -> assertThat(
                    machine.run("sh", "-c", "cat /var/vmail/example.org/alice/Maildir/*/*").out())
                    .contains("DKIM-Signature:", "How are you?", "Signed."));
        }
    }

    @Test
    void eachPageHasCommandsThatRun() {
        assertThat(PAGES).allSatisfy(page -> assertThat(PageStory.of(page, "12"))
                .anyMatch(PageStory.Commands.class::isInstance));
    }

    private static void take(SystemdMachine machine, String page, PageStory.Step step) {
        switch (step) {
            case PageStory.WrittenFile(String path, String text) -> machine.write(path, text);
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
    private static ProgramRun run(SystemdMachine machine, String commands) {
        return machine.run("env", "-C", "/packages", "SLIPSTREAM_CACHE=/proc/none", "bash", "-c",
                PASSWORDS + "(\nset -e\n" + commands + ")");
    }
}
