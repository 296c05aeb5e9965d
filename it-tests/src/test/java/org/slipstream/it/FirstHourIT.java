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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    private static final Pattern AS_ROOT = Pattern.compile("as root: ([^;\n]+)");
    private static final int MOST_COMMANDS = 5;
    private static final String KEY = "/etc/slipstream/tls/privkey.pem";
    private static final List<String> DAMAGE = List.of(
            "chown root:root " + KEY + " && chmod 0600 " + KEY,
            "chown root:root " + KEY + " && chmod 0600 " + KEY + " && chown root:root /etc/slipstream/tls"
                    + " && chmod 0700 /etc/slipstream/tls",
            "groupadd keys && chown root:keys " + KEY + " && chmod 0640 " + KEY,
            "chown root:root /etc/slipstream/mta.toml && chmod 0600 /etc/slipstream/mta.toml",
            "chown root:root /var/lib/slipstream/users && chmod 0600 /var/lib/slipstream/users",
            "chown root:root /var/lib/slipstream/mail && chmod 0700 /var/lib/slipstream/mail",
            "install -d -m 0700 '/srv/the keys' && cp " + KEY + " '/srv/the keys/key' && ln -sf '/srv/the keys/key' "
                    + KEY);
    /// Answers each prompt after it has appeared, because a terminal forgets earlier input.
    private static final String WITH_TERMINAL = """
            coproc script -qec 'mta user add carol' /dev/null
            while read -r -d : -u "${COPROC[0]}" prompt; do
                echo "$prompt"
                echo 'open sesame' >&"${COPROC[1]}"
            done
            echo "$prompt"
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
            checkNamesTheCommandsThatMend(machine);
            rootMakesALoginForTheServer(machine);
        }
    }

    /// Each damage is one that an administrator makes as root. The commands that check prints are run
    /// as they stand.
    private static void checkNamesTheCommandsThatMend(SystemdMachine machine) {
        for (String damage : DAMAGE) {
            machine.run("bash", "-c", damage).mustSucceed();
            List<String> commands = new ArrayList<>();
            String said = check(machine);
            Matcher command = AS_ROOT.matcher(said);
            assertThat(command.find()).as("a command after " + damage + said).isTrue();
            do {
                commands.add(command.group(1));
                machine.run("bash", "-c", command.group(1)).mustSucceed();
                said = check(machine);
                command = AS_ROOT.matcher(said);
            } while (command.find() && commands.size() < MOST_COMMANDS);
            assertThat(said).as(damage + commands).contains("no mistakes");
        }
    }

    private static String check(SystemdMachine machine) {
        ProgramRun ran = machine.run("mta", "check");
        return ran.out() + ran.err();
    }

    /// The prompt for a password needs a terminal, which the change of the user keeps.
    private static void rootMakesALoginForTheServer(SystemdMachine machine) {
        ProgramRun login = machine.run("bash", "-c", WITH_TERMINAL);
        assertThat(login.out()).as(login.err()).contains("carol may send as carol@example.org");
        assertThat(machine.run("stat", "-c", "%U", "/var/lib/slipstream/users").out()).isEqualTo("slipstream\n");
    }

    @Test
    void eachPageHasCommandsThatRun() {
        assertThat(PAGES).allSatisfy(page -> assertThat(PageStory.of(page, "12"))
                .anyMatch(PageStory.Commands.class::isInstance));
    }

    private static void take(SystemdMachine machine, String page, PageStory.Step step) {
        switch (step) {
            case PageStory.WrittenFile(String path, String text) -> machine.write(path, text);
            case PageStory.Commands(String text, String prints, _) when prints.isEmpty() -> {
                ProgramRun ran = run(machine, text);
                assertThat(ran.exit()).as(page + ":\n" + text + ran.out() + ran.err()).isZero();
            }
            // Delivery and restarts take a moment.
            case PageStory.Commands(String text, String prints, boolean fails) -> {
                AtomicReference<String> last = new AtomicReference<>("");
                eventually().untilAsserted(() -> {
                    ProgramRun ran = run(machine, text);
                    last.set(last.get() + ran.out() + ran.err());
                    assertThat(last.get()).as(page + ":\n" + text).contains(prints);
                    assertThat(ran.exit() != 0).as(page + ":\n" + text + last.get() + ran.exit()).isEqualTo(fails);
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
