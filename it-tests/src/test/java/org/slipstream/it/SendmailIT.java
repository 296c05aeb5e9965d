package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.PageStory;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `sendmail`, `mailq` and `newaliases` by their names, as the programs of a system call them, and the
/// maildrop between them and the server.
@RequiresPrograms({"bsd-mailx", "git", "mutt", "php", "s-nail", "strace"})
class SendmailIT {
    private static final int FILES = 1_000;
    private static final int WRITERS = 4;
    private static final int KILLS = 3;

    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static PackagedServer running;

    @BeforeAll
    static void start() {
        running = BENCH.server(settings());
    }

    /// The programs, each with the arguments that send a short message. `$1` is a folder with the name
    /// `sendmail`, `$2` the recipient.
    enum Caller {
        BSD_MAILX("MAILRC=$1/mailrc bsd-mailx -s 'from a program' $2"), S_NAIL(
                "s-nail -n -S v15-compat -S mta=$1/sendmail -s 'from a program' $2"), MUTT(
                        "mutt -n -F /dev/null -e 'set sendmail=\"'$1'/sendmail -oem -oi\"' -e 'set copy=no' -s 'from a program'"
                                + " $2"), PHP(
                                        "php -d sendmail_path=\"$1/sendmail -t -i\" -r 'exit(mail(\"'$2'\", \"from a program\","
                                                + " stream_get_contents(STDIN), \"Bcc: spy@here.example\") ? 0 : 1);'"), CRON(
                                                        "(printf 'From: root (Cron Daemon)\\nTo: '$2'\\nSubject: from a program\\n\\n'; cat)"
                                                                + " | sendmail -FCronDaemon -i -odi -oem -t"), AT(
                                                                        "(printf 'Subject: from a program\\nTo: someone\\n\\n'; cat) | sendmail -i $2"), GIT(
                                                                                "cat > $1/0001.patch.body; (printf 'From: bob@here.example\\nSubject: from a program\\n\\n';"
                                                                                        + " cat $1/0001.patch.body) > $1/0001.patch; cd $1; git -c sendemail.suppresscc=all send-email"
                                                                                        + " --quiet --confirm=never --smtp-server=$1/sendmail --from=bob@here.example --to=$2"
                                                                                        + " 0001.patch");

        private final String script;

        Caller(String script) {
            this.script = script;
        }
    }

    @ParameterizedTest
    @EnumSource(Caller.class)
    void aProgramSendsAMessage(Caller caller) throws IOException {
        var recipient = caller.name().toLowerCase(Locale.ROOT) + "@here.example";
        var names = names();
        Files.writeString(names.resolve("mailrc"), "set sendmail=" + names.resolve("sendmail") + "\n");
        shell(running, names, "first line\n.leading dot\nlast line\n", caller.script, recipient).mustSucceed();
        eventually().until(() -> running.mail().count(recipient) == 1);
        var mail = new String(running.mail().newMail(recipient).getFirst(), StandardCharsets.UTF_8);
        assertThat(mail.lines().map(String::stripTrailing)).contains("Subject: from a program", "first line",
                ".leading dot", "last line");
        assertThat(mail).containsPattern("Received: by mail\\.here\\.example \\(Slipstream, from userid \\d+\\)")
                .containsOnlyOnce("\nFrom: ").containsOnlyOnce("\nDate: ").containsIgnoringCase("\nMessage-ID: <")
                .doesNotContain("Bcc");
        if (caller == Caller.PHP) {
            eventually().until(() -> running.mail().count("spy@here.example") == 1);
        }
    }

    /// As cron calls it, with the file of the page as it stands; only the ports are free ones.
    @Test
    void mailForRootIsInTheMailboxThatTheTenSettingsName() throws IOException {
        Path home = BENCH.home();
        for (PageStory.Step step : PageStory.of("settings-first.md", "12")) {
            if (step instanceof PageStory.WrittenFile(String _, String text)) {
                Files.writeString(home.resolve("mta.toml"), text);
            }
        }
        var server = BENCH.keep(PackagedServer.start(Program.folder(), home,
                List.of("listen.smtp=127.0.0.1:0", "listen.submission=127.0.0.1:0")));
        shell(server, names(), "The backup is done.\n", "sendmail root").mustSucceed();
        eventually().until(() -> server.mail().count("alice@example.org") == 1);
        assertThat(new String(server.mail().newMail("alice@example.org").getFirst(), StandardCharsets.UTF_8))
                .contains("The backup is done.");
    }

    @Test
    void mailOfAStoppedServerArrivesWhenItStarts() throws IOException {
        var server = BENCH.server(settings());
        var names = names();
        server.stop();
        shell(server, names, "Subject: waits\n\nbody\n", "sendmail alice").mustSucceed();
        var down = shell(server, names, "", "mailq");
        assertThat(down.exit()).isEqualTo(4);
        assertThat(down.err()).contains("mailq: the mail system is down; 1 message in the maildrop");
        server.startAgain();
        eventually().until(() -> server.mail().count("alice@here.example") == 1);
        // The file may go while the folder is read.
        eventually().ignoreExceptions()
                .untilAsserted(() -> assertThat(files(server.home().resolve("maildrop"))).isEmpty());
    }

    @Test
    void mailqHasTheFormatThatMonitoringProgramsRead() throws IOException {
        var server = BENCH.server(settings().set("queue.deliver", "false").set("aliases.ops", "alice@here.example"));
        var names = names();
        assertThat(shell(server, names, "", "mailq").mustSucceed().out()).isEqualTo("Mail queue is empty\n");
        shell(server, names, "Subject: x\n\n" + "0123456789\n".repeat(200),
                "sendmail -f me@here.example a@far.example b@far.example").mustSucceed();
        eventually().untilAsserted(() -> assertThat(shell(server, names, "", "sendmail -bp").mustSucceed().out())
                .matches(Pattern.compile("""
                        -Queue ID-  --Size-- ----Arrival Time---- -Sender/Recipient-------
                        [0-9a-z]{11}[*!]? +\\d+ [A-Z][a-z]{2} [A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d  me@here\\.example
                        (?: *\\(.*\\)
                        )?                                          a@far\\.example
                        (?: *\\(.*\\)
                        )?                                          b@far\\.example

                        -- 2 Kbytes in 1 Request\\.
                        """)));
        assertThat(shell(server, names, "", "newaliases").mustSucceed().out())
                .matches(".* \\d+ aliases, longest .*\\n");
    }

    @Test
    void wrongUsageHasTheExitCodesOfSysexits() throws IOException {
        var names = names();
        assertThat(shell(running, names, "\n", "sendmail").exit()).isEqualTo(64);
        assertThat(shell(running, names, "\n", "sendmail -t").exit()).isEqualTo(64);
        assertThat(shell(running, names, "\n", "sendmail a..b@c").exit()).isEqualTo(65);
        assertThat(shell(running, names, "\n", "SLIPSTREAM_HOME=/nowhere sendmail a").exit()).isEqualTo(75);
        // A recipient with the name of a command is a recipient.
        shell(running, names, "\n", "sendmail run").mustSucceed();
        eventually().until(() -> running.mail().count("run@here.example") == 1);
    }

    /// The second sync makes the name durable: the folder cannot be synced by a user. A quick server has
    /// moved the file by then.
    @Test
    void theFileIsSyncedBeforeAndAfterItHasItsName() throws IOException {
        var calls = BENCH.folder().resolve("calls");
        shell(running, names(), "Subject: durable\n\nbody\n", "strace -f -y -e signal=none -e"
                + " trace=fsync,fdatasync,rename,renameat,renameat2 -o $2 $1/sendmail durable@here.example",
                calls.toString()).mustSucceed();
        assertThat(Files.readAllLines(calls, StandardCharsets.ISO_8859_1).stream()
                .filter(call -> call.matches(".*/maildrop/(tmp\\.|new\\.|taken/).*"))
                .map(call -> call.replaceFirst("^\\d+ +(f(data)?sync|rename)(at2?)?\\(.*", "$1")))
                .containsExactly("fsync", "rename", "fsync");
        eventually().until(() -> running.mail().count("durable@here.example") == 1);
    }

    /// With two shards, and with files that programs finish before, during and after each kill.
    @Test
    void aServerThatIsKilledWhileItTakesFilesLosesNone() throws Exception {
        var server = BENCH.server(settings().set("shard.count", "2"));
        var maildrop = server.home().resolve("maildrop");
        var writers = IntStream.range(0, WRITERS)
                .mapToObj(writer -> CompletableFuture.runAsync(() -> drop(maildrop, writer))).toList();
        var random = new Random(7);
        for (int kill = 0; kill < KILLS; kill++) {
            int enough = Math.min(FILES,
                    server.mail().count("alice@here.example") + 1 + random.nextInt(FILES / (2 * KILLS)));
            eventually().until(() -> server.mail().count("alice@here.example") >= enough);
            server.kill9();
            server.startAgain();
        }
        writers.forEach(CompletableFuture::join);
        eventually().untilAsserted(() -> assertThat(subjects(server)).hasSize(FILES));
        assertThat(files(maildrop)).isEmpty();
    }

    /// The format of docs/sendmail.md, written by hand.
    private static void drop(Path maildrop, int writer) {
        try {
            for (int number = writer; number < FILES; number += WRITERS) {
                var whole = "slipstream-maildrop 1\nsender=me\nrecipient=alice@here.example\n\nSubject: " + number
                        + "\r\n\r\nbody\r\n";
                var sum = new CRC32C();
                sum.update(whole.getBytes(StandardCharsets.US_ASCII));
                var file = Files.writeString(maildrop.resolve("tmp." + number),
                        whole + "end %016x %08x\n".formatted(whole.length(), sum.getValue()));
                Files.move(file, maildrop.resolve("new." + number), StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException trouble) {
            throw new UncheckedIOException(trouble);
        }
    }

    /// Each once: a delivery that the kill cut off may have written a second copy (RFC 1047).
    private static Set<String> subjects(PackagedServer server) {
        return server.mail().newMail("alice@here.example").stream()
                .map(mail -> new String(mail, StandardCharsets.US_ASCII).lines()
                        .filter(line -> line.startsWith("Subject: ")).findFirst().orElseThrow())
                .collect(Collectors.toSet());
    }

    private static Settings settings() {
        return Settings.quick().set("maildrop.domain", "here.example");
    }

    /// A folder with the names as a package installs them.
    private Path names() throws IOException {
        var names = BENCH.folder();
        for (var name : List.of("sendmail", "mailq", "newaliases")) {
            Files.createSymbolicLink(names.resolve(name), Program.folder().resolve("mta"));
        }
        return names;
    }

    private static ProgramRun shell(PackagedServer server, Path names, String input, String script,
            String... words) {
        var command = new ArrayList<>(List.of("sh", "-c", script, "sh", names.toString()));
        command.addAll(List.of(words));
        var builder = new ProcessBuilder(command);
        builder.environment().put("SLIPSTREAM_HOME", server.home().toString());
        builder.environment().put("PATH", names + ":" + System.getenv("PATH"));
        return ProgramRun.of(input.getBytes(StandardCharsets.UTF_8), builder);
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
