package org.slipstream.local.program;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Outcome;
import org.slipstream.local.program.ProgramArguments.PipedMail;
import org.slipstream.local.program.ProgramDelivery.PipeResult;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class ProgramDeliveryTest {
    private static final QueueId ID = QueueId.after(0, 1_700_000_000_000L);
    private static final Content HELLO = Content.of("Subject: x\r\n\r\nhello\r\n".getBytes(StandardCharsets.UTF_8));

    @TempDir
    Path folder;
    private Path out;

    /// The tests of CI run as root, and a program never does.
    @BeforeEach
    void everyUserReaches() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        out = folder.resolve("out");
    }

    private static String user() {
        return System.getProperty("user.name").equals("root") ? "nobody:nogroup" : "";
    }

    /// A shell that runs this script stands for any program.
    private static PipeSettings script(String script, String... arguments) {
        List<String> command = Stream.concat(Stream.of("/bin/sh", "-c", script, "program"), Stream.of(arguments))
                .toList();
        return new PipeSettings(command, user(), Duration.ofSeconds(30));
    }

    private PipedMail mail(String... recipients) {
        List<Recipient> to = Stream.of(recipients).map(each -> new Recipient(1, Address.of(each))).toList();
        return new PipedMail(ID, Envelope.of(Optional.of(Address.of("eve@here.example")),
                to.stream().map(Recipient::address).toList()), to, "far.example", HELLO.sizeBytes(), Optional.of('+'));
    }

    private PipeResult deliver(PipeSettings settings, Content content, String... recipients) {
        return new ProgramDelivery(folder.resolve("programs"), () -> false).deliver("uucp", settings,
                mail(recipients), content);
    }

    private Outcome outcome(PipeSettings settings) {
        return ((PipeResult.Decided) deliver(settings, HELLO, "ann@far.example")).outcome();
    }

    @Test
    void theProgramGetsTheMessageAndItsArguments() throws IOException {
        PipeResult result = deliver(script("cat > " + out + "; printf '%s\\n' \"$@\" >> " + out,
                "-f", "${sender}", "--", "${user}|${extension}|${domain}", "${recipient}", "${size} ${nexthop}"), HELLO,
                "ann+news@far.example", "bob@far.example");
        assertThat(result).isInstanceOfSatisfying(PipeResult.Decided.class, decided -> assertThat(decided.outcome())
                .isInstanceOf(Outcome.Delivered.class).extracting(Outcome::remote).isEqualTo("pipe:uucp"));
        assertThat(Files.readAllLines(out)).containsExactly("Return-Path: <eve@here.example>", "Subject: x", "",
                "hello", "-f", "eve@here.example", "--", "ann|news|far.example", "bob||far.example",
                "ann+news@far.example", "bob@far.example", "21 far.example");
        assertThat(folder.resolve("programs")).isEmptyDirectory();
    }

    /// The addresses of a message come from strangers.
    @Test
    void noShellReadsAnAddressAndNoneIsAnOption() {
        Path touched = folder.resolve("touched");
        deliver(script("true", "${recipient}"), HELLO, "\"$(touch " + touched + ")\"@far.example");
        assertThat(touched).doesNotExist();
        assertThat(((PipeResult.Decided) deliver(script("touch " + touched, "${recipient}"), HELLO,
                "-oQ/tmp@far.example")).outcome()).isInstanceOf(Outcome.Failed.class)
                .extracting(each -> each.reply().statusOrGeneral().toString()).isEqualTo("5.1.3");
        assertThat(touched).doesNotExist();
        assertThat(deliver(script("true", "--to=${recipient}"), HELLO, "-oQ/tmp@far.example"))
                .isInstanceOfSatisfying(PipeResult.Decided.class,
                        decided -> assertThat(decided.outcome()).isInstanceOf(Outcome.Delivered.class));
    }

    @ParameterizedTest
    @CsvSource({"exit 67,550 5.1.1", "exit 75,451 4.3.0", "exit 71,451 4.3.0", "exit 77,550 5.7.0", "exit 1,550 5.3.0",
            "echo 4.2.2 the box is full; exit 1,451 4.2.2", "echo 5.7.1 not for you; exit 75,550 5.7.1",
            "echo 2.0.0 fine; exit 1,550 5.3.0", "kill -9 $$,451 4.3.0", "echo 4.9; exit 64,550 5.3.5"})
    void theExitCodeDecides(String script, String reply) {
        assertThat(outcome(script(script)).reply().toString()).startsWith(reply);
    }

    @Test
    void endlessOutputIsCutAndTheRestIsForgotten() {
        Outcome outcome = outcome(script("head -c 1000000 /dev/zero | tr '\\0' x; exit 69"));
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        assertThat(outcome.reply().text()).contains("a service is not available: xxx").hasSizeLessThan(500);
    }

    @Test
    void aProgramThatDoesNotEndIsKilledWithItsChildren() throws IOException {
        PipeSettings settings = script("sleep 600 & echo $! > " + out + "; exec sleep 600");
        // On a busy machine the first limit may be over before the child runs.
        for (int seconds = 1; out.toFile().length() == 0; seconds *= 5) {
            Outcome outcome = outcome(
                    new PipeSettings(settings.command(), settings.user(), Duration.ofSeconds(seconds)));
            assertThat(outcome).isInstanceOf(Outcome.Deferred.class);
            assertThat(outcome.reply().text()).contains("did not end within " + seconds + " s");
        }
        long child = Long.parseLong(Files.readString(out).strip());
        // Where process 1 reaps no orphans, it stays as a zombie, which has no arguments.
        Awaitility.await().atMost(Duration.ofSeconds(60))
                .until(() -> ProcessHandle.of(child).flatMap(each -> each.info().arguments()).isEmpty());
    }

    @Test
    void theEndOfTheServerEndsThePrograms() {
        PipeSettings settings = script("exec sleep 600");
        PipeResult result = new ProgramDelivery(folder.resolve("programs"), () -> true).deliver("uucp", settings,
                mail("ann@far.example"), HELLO);
        assertThat(((PipeResult.Decided) result).outcome()).isInstanceOf(Outcome.Deferred.class);
    }

    @Test
    void aChildThatKeepsTheOutputOpenHoldsNoLane() {
        assertThat(outcome(script("setsid sleep 5 & exit 0"))).isInstanceOf(Outcome.Delivered.class);
    }

    @Test
    void aProgramThatReadsNothingMayDeliver() {
        Content large = Content.of(new byte[1 << 20]);
        assertThat(deliver(script("exit 0"), large, "ann@far.example"))
                .isInstanceOfSatisfying(PipeResult.Decided.class,
                        decided -> assertThat(decided.outcome()).isInstanceOf(Outcome.Delivered.class));
    }

    @Test
    void localTroubleIsNobodysFault() {
        PipeSettings gone = new PipeSettings(List.of(folder.resolve("gone").toString()), "", Duration.ofSeconds(1));
        assertThat(deliver(gone, HELLO, "ann@far.example")).isInstanceOfSatisfying(PipeResult.NotStarted.class,
                none -> assertThat(none.reason().isTransient()).isTrue());
        PipeSettings unknown = new PipeSettings(List.of("/bin/true"), "no-such-user", Duration.ofSeconds(1));
        assertThat(deliver(unknown, HELLO, "ann@far.example")).isInstanceOf(PipeResult.NotStarted.class);
        PipeSettings missing = new PipeSettings(gone.command(), user(), Duration.ofSeconds(9));
        assertThat(deliver(missing, HELLO, "ann@far.example")).as("setpriv finds no program")
                .isInstanceOf(PipeResult.NotStarted.class);
        Content damaged = new Content() {
            @Override
            public long sizeBytes() {
                return 1;
            }

            @Override
            public InputStream open() throws IOException {
                throw new IOException("damaged");
            }
        };
        assertThat(deliver(script("touch " + out), damaged, "ann@far.example"))
                .isInstanceOf(PipeResult.Unreadable.class);
        assertThat(out).doesNotExist();
        assertThat(folder.resolve("programs")).isEmptyDirectory();
    }

    /// Otherwise one message of a stranger would hold the mail of the whole transport.
    @Test
    void moreAddressesThanAProgramTakesConcernTheirMessageOnly() {
        String[] many = IntStream.range(0, 2_000).mapToObj(i -> "x".repeat(60) + i + "@far.example")
                .toArray(String[]::new);
        assertThat(deliver(script("touch " + out, "${recipient}"), HELLO, many))
                .isInstanceOfSatisfying(PipeResult.NotPassed.class,
                        none -> assertThat(none.reason().text()).contains("lower recipients-per-delivery"));
        assertThat(out).doesNotExist();
    }

    @Test
    void aMessageThatIsCutOffIsNotDelivered() {
        Content cut = new Content() {
            @Override
            public long sizeBytes() {
                return HELLO.sizeBytes() + 1;
            }

            @Override
            public InputStream open() throws IOException {
                return HELLO.open();
            }
        };
        assertThat(deliver(script("touch " + out), cut, "ann@far.example"))
                .isInstanceOf(PipeResult.Unreadable.class);
        assertThat(out).doesNotExist();
    }

    @Test
    void theEnvironmentIsFixedAndTheUserIsAnother() throws IOException {
        outcome(script("env | cut -d= -f1 | sort > " + out + "; id -un >> " + out + "; pwd >> " + out));
        String expected = user().isEmpty() ? System.getProperty("user.name") : "nobody";
        assertThat(Files.readAllLines(out)).containsSubsequence("LANG", "PATH", expected, "/")
                .isSubsetOf("LANG", "PATH", "PWD", "TZ", "_", "SHLVL", "OLDPWD", expected, "/");
    }

    @Test
    void aProgramNeverRunsAsRoot() {
        assertThat(ProgramUser.trouble("root")).hasValueSatisfying(words -> assertThat(words).contains("never"));
        assertThat(ProgramUser.trouble("no-such-user")).isPresent();
        assertThat(ProgramUser.trouble(user())).isEmpty();
    }

    @Test
    void whatAKillLeftIsDeletedAtTheStart() throws IOException {
        Path left = Files.createDirectories(folder.resolve("programs")).resolve("left");
        Files.writeString(left, "mail");
        ProgramDelivery.sweep(folder.resolve("programs"));
        assertThat(left).doesNotExist();
        ProgramDelivery.sweep(folder.resolve("none"));
    }
}
