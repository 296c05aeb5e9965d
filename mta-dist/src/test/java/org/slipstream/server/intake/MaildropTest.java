package org.slipstream.server.intake;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slipstream.cli.sendmail.CallingUser;
import org.slipstream.cli.sendmail.MessageSubmission;
import org.slipstream.cli.sendmail.SendmailArguments;
import org.slipstream.cli.sendmail.SendmailException;
import org.slipstream.cli.sendmail.SmtpOnStandardInput;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DataSize;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.SettingsRecords;
import org.slipstream.local.maildrop.DropEnvelope;
import org.slipstream.local.maildrop.DropFileWriter;
import org.slipstream.local.maildrop.MaildropFolder;
import org.slipstream.local.maildrop.OwnerTurns;
import org.slipstream.smtpin.LocalSubmission;
import org.slipstream.smtpin.LocalSubmission.LocalUser;
import org.slipstream.smtpin.protocol.Limits;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A message on its way from standard input through a file of the maildrop into the spool.
class MaildropTest {
    private static final CallingUser ALICE = new CallingUser("alice", "Alice Müller");
    private static final Instant NOW = Instant.parse("2026-11-23T06:30:00Z");
    private static final DataSize LARGEST = DataSize.ofKibibytes(64);

    @TempDir
    Path home;
    private final MemoryDrafts spool = new MemoryDrafts();
    private Consumer<QueueId> arrived = _ -> {};
    private MaildropFolder folder;
    private Pickup pickup;

    @BeforeEach
    void aMaildrop() throws IOException {
        folder = MaildropFolder.in(home);
        folder.prepare(NOW);
        Ingest ingest = new Ingest(spool::draft, Books.usual().build(), arrival -> arrived.accept(arrival.id()));
        Limits limits = SettingsRecords.with(Limits.standard(), "messageSize", LARGEST);
        pickup = new Pickup(folder, new LocalSubmission(limits, "mail.here.example", Clock.fixed(NOW, ZoneOffset.UTC),
                fields -> fields),
                ingest, new InFlowDelay(() -> false, 0), "here.example", Clock.fixed(NOW, ZoneOffset.UTC));
    }

    // ---- the message

    @Test
    void missingFieldsAreAddedAndTheOwnerOfTheFileIsNamed() throws Exception {
        MemoryDrafts.Stored message = sent("-i bob", "Subject: x\n\nbody\n");
        assertThat(text(message)).matches("""
                Received: by mail\\.here\\.example \\(Slipstream, from userid \\d+\\)\\R\tid \\S+;\\R\
                \tMon, 23 Nov 2026 06:30:00 \\+0000\\R\
                Subject: x\\R\
                From: =\\?UTF-8\\?Q\\?Alice_M=C3=BCller\\?= <alice@here\\.example>\\R\
                Date: Mon, 23 Nov 2026 06:30:00 \\+0000\\R\
                Message-ID: <\\S+@mail\\.here\\.example>\\R\
                \\R\
                body\\R""");
        assertThat(message.envelope().sender().orElseThrow()).hasToString("alice@here.example");
        assertThat(recipients(message)).containsExactly("bob@here.example");
        assertThat(message.envelope().origin().service()).isEqualTo("maildrop");
        assertThat(message.envelope().origin().user()).isEqualTo(Files.getOwner(home).getName());
        assertThat(message.facts()).as("a sender need not scan it again").isPresent();
    }

    @Test
    void fieldsOfTheProgramStay() throws Exception {
        String header = "From: root (Cron Daemon)\r\nDate: Mon, 1 Jan 2024 00:00:00 +0000\r\nMessage-ID: <a@b>\r\n";
        assertThat(text(sent("-t", header + "To: bob\r\n\r\nbody\r\n")))
                .endsWith(header + "To: bob\r\n\r\nbody\r\n");
    }

    @Test
    void recipientsOfTheHeaderAreAddedToThoseOfTheArgumentsAndBccIsNotSent() throws Exception {
        MemoryDrafts.Stored message = sent("-t carol", """
                To: "Bob, the builder" <bob@far.example>,
                \tdave@far.example (a comment)
                Cc: friends: eve@far.example, "odd name"@far.example;, nobody:;
                Bcc: frank@far.example
                Subject: x

                body
                """);
        assertThat(recipients(message)).containsExactly("carol@here.example", "bob@far.example", "dave@far.example",
                "eve@far.example", "\"odd name\"@far.example", "frank@far.example");
        assertThat(text(message)).doesNotContain("Bcc", "frank");
    }

    @Test
    void resentFieldsReplaceTheOthers() throws Exception {
        MemoryDrafts.Stored message = sent("-t", """
                Resent-To: new@far.example
                Resent-Bcc: hidden@far.example
                To: old@far.example
                Bcc: older@far.example

                body
                """);
        assertThat(recipients(message)).containsExactly("new@far.example", "hidden@far.example");
        assertThat(text(message)).contains("To: old@far.example").doesNotContain("hidden", "older");
    }

    @Test
    void aLineWithASingleDotEndsTheMessageUnlessDotsAreIgnored() throws Exception {
        String text = "Subject: x\n\none\n..\n.\ntwo\n";
        assertThat(text(sent("bob", text))).endsWith("one\r\n..\r\n");
        assertThat(text(sent("-i bob", text))).endsWith("one\r\n..\r\n.\r\ntwo\r\n");
        assertThat(text(sent("bob", "Subject: x\r\n\r\none\r\n.\r\ntwo"))).endsWith("one\r\n");
        assertThat(text(sent("bob", "Subject: x\n\none\n."))).endsWith("one\r\n");
    }

    /// Otherwise a program that puts a user's text into a header would let the user add a field.
    @Test
    void aBareCarriageReturnIsALineEndInTheBodyAndABlankInTheHeader() throws Exception {
        assertThat(text(sent("bob", "Subject: x\rBcc: spy@far.example\n\n10%\r20%\rdone")))
                .contains("Subject: x Bcc: spy@far.example\r\n").endsWith("\r\n\r\n10%\r\n20%\r\ndone\r\n");
    }

    @Test
    void aTextWithoutAHeaderIsABody() throws Exception {
        assertThat(text(sent("bob", "just text\nmore\n"))).contains("\r\n\r\njust text\r\nmore\r\n");
        assertThat(text(sent("bob", "From alice Mon Nov 23 06:30:00 2026\nSubject: x\n\nbody\n")))
                .contains("Subject: x\r\n").doesNotContain("From alice");
        assertThat(text(sent("bob", ""))).contains("Date: ").endsWith("\r\n\r\n");
    }

    @Test
    void reportsAndTheNullSenderAreKept() throws Exception {
        MemoryDrafts.Stored message = sent("-f <> -N success,failure -R hdrs -V abc bob@far.example", "\nx\n");
        assertThat(message.envelope().sender()).isEmpty();
        assertThat(message.envelope().recipients().getFirst().notifyOn())
                .containsExactlyInAnyOrder(DsnNotify.SUCCESS, DsnNotify.FAILURE);
        assertThat(message.envelope().returns()).isEqualTo(DsnReturn.HEADERS);
        assertThat(message.envelope().envelopeId()).contains("abc");
    }

    @Test
    void aMistakeLeavesNothingBehind() {
        assertThatThrownBy(() -> new MessageSubmission(folder, ALICE).submit(
                SendmailArguments.parse(List.of("-F", "x\r\nBcc: spy@far.example", "bob")),
                new ByteArrayInputStream(new byte[0]))).isInstanceOfSatisfying(SendmailException.class,
                        refused -> assertThat(refused.exit()).isEqualTo(65));
        assertExit(64, "-t", "Subject: x\n\nno recipient\n");
        assertExit(65, "-t", "To: a b c@@\n\n");
        assertExit(65, "no..address@far.example", "\n");
        assertThat(everything()).isEmpty();
    }

    @Test
    void aProgramMaySpeakSmtp() throws Exception {
        String dialogue = """
                EHLO me
                MAIL FROM:<alice@here.example> BODY=8BITMIME
                RCPT TO:<bob@far.example>
                DATA
                Subject: x

                ..dot
                .
                MAIL FROM:<>
                DATA
                RSET
                QUIT
                """.replace("\n", "\r\n");
        ByteArrayOutputStream replies = new ByteArrayOutputStream();
        new SmtpOnStandardInput(folder, ALICE, new ByteArrayInputStream(dialogue.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(replies, false, StandardCharsets.UTF_8)).run();
        assertThat(replies.toString(StandardCharsets.UTF_8).lines().map(line -> line.substring(0, 3)))
                .containsExactly("220", "250", "250", "250", "250", "250", "250", "250", "354", "250", "250", "554",
                        "250", "221");
        assertThat(text(stored())).endsWith("\r\n\r\n.dot\r\n");
    }

    @Test
    void aProgramThatSpeaksSmtpMayLeaveOutHeloAndTheDomain() throws Exception {
        String dialogue = """
                BDAT 6
                QUIT
                MAIL FROM:<alice>
                RCPT TO:<bob>
                RCPT TO:<Postmaster>
                RCPT TO:<a b>
                DATA
                .
                """.replace("\n", "\r\n");
        ByteArrayOutputStream replies = new ByteArrayOutputStream();
        new SmtpOnStandardInput(folder, ALICE, new ByteArrayInputStream(dialogue.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(replies, false, StandardCharsets.UTF_8)).run();
        assertThat(replies.toString(StandardCharsets.UTF_8).lines().map(line -> line.substring(0, 3)))
                .containsExactly("220", "502", "250", "250", "250", "501", "354", "250");
        assertThat(recipients(stored())).containsExactly("bob@here.example", "Postmaster@here.example");
    }

    // ---- the file

    @Test
    void afterAFullSpoolTheFileIsTriedAgain() throws Exception {
        submit("bob", "\nx\n");
        String name = names().getFirst();
        spool.full = true;
        assertThat(pickup.store(name)).isFalse();
        spool.full = false;
        spool.onCommit = Optional.of(new IOException("the disk is gone"));
        assertThat(pickup.store(name)).isFalse();
        assertThat(names()).containsExactly(name);
        spool.onCommit = Optional.empty();
        assertThat(pickup.store(name)).isTrue();
        assertThat(spool.messages).hasSize(1);
        assertThat(everything()).isEmpty();
    }

    /// Random damage of one octet, and each kind of cut.
    @Test
    void aDamagedFileNeverBecomesAMessageAndIsSetAsideUnchanged() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 60; round++) {
            submit("bob carol", "Subject: x\n\n" + "line\n".repeat(random.nextInt(50)));
            String name = names().getFirst();
            byte[] whole = Files.readAllBytes(folder.find(name));
            byte[] damaged = round % 2 == 0
                    ? flipped(whole, random)
                    : Arrays.copyOf(whole, random.nextInt(whole.length));
            Files.write(folder.find(name), damaged);
            assertThat(pickup.store(name)).isTrue();
            assertThat(spool.messages).as("seed %s, round %s", seed, round).isEmpty();
            Path aside = only(folder.path().resolve("corrupt"));
            assertThat(aside).hasBinaryContent(damaged);
            Files.delete(aside);
        }
    }

    private static byte[] flipped(byte[] whole, Random random) {
        byte[] damaged = whole.clone();
        damaged[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
        return damaged;
    }

    /// The program was told that its message is on disk.
    @Test
    void aMessageAboveTheLimitIsSetAsideAndItsSenderReceivesAReport() throws Exception {
        submit("bob", "\n" + "x".repeat(60).concat("\n").repeat(1100));
        assertThat(pickup.store(names().getFirst())).isTrue();
        MemoryDrafts.Stored report = spool.messages.values().iterator().next();
        assertThat(report.envelope().sender()).isEmpty();
        assertThat(recipients(report)).containsExactly("alice@here.example");
        assertThat(text(report)).contains("552 5.3.4", "<bob@here.example>", "Auto-Submitted: auto-replied");
        assertThat(only(folder.path().resolve("corrupt"))).exists();
    }

    @Test
    void aLongLineAndTooManyRecipientsAreReportedAsWell() throws Exception {
        submit("bob", "\n" + "x".repeat(1 << 16) + "\n");
        assertThat(pickup.store(names().getFirst())).isTrue();
        assertThat(text(spool.messages.values().iterator().next())).contains("<bob@here.example>");
    }

    @Test
    void noReportAnswersTheNullSender() throws Exception {
        submit("-f <> bob", "\n" + "x".repeat(1 << 16) + "\n");
        assertThat(pickup.store(names().getFirst())).isTrue();
        assertThat(spool.messages).isEmpty();
    }

    /// Two terabytes of zeros need no room on a disk, and hours to read.
    @Test
    void aFileOfEndlessSizeIsNotRead() throws Exception {
        submit("bob", "Subject: x\n\n");
        try (RandomAccessFile sparse = new RandomAccessFile(folder.find(names().getFirst()).toFile(), "rw")) {
            sparse.setLength(2L << 40);
        }
        assertThat(pickup.store(names().getFirst())).isTrue();
        assertThat(spool.messages).as("the report").hasSize(1);
        assertThat(everything()).as("too large to be kept").isEmpty();
    }

    @Test
    void nothingIsReadBehindTheFirstOctetThatIsRefused() throws Exception {
        AtomicLong read = new AtomicLong();
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return read.incrementAndGet() > 10 * LARGEST.bytes() ? -1 : 'x';
            }
        };
        Limits limits = SettingsRecords.with(Limits.standard(), "messageSize", LARGEST);
        try (SpoolDraft draft = new Ingest(spool::draft, Books.usual().build(), _ -> {}).begin(true, true)) {
            LocalSubmission submission = new LocalSubmission(limits, "mail.here.example", Clock.systemUTC(), it -> it);
            assertThat(submission.take("maildrop", draft, someEnvelope(), new LocalUser(1, "a", "a@here.example"),
                    endless)).isInstanceOf(LocalSubmission.TakenOrRefused.Refused.class);
        }
        assertThat(read.get()).isLessThan(4 * LARGEST.bytes());
    }

    // ---- what any user can do

    @Test
    void aNameOf255OctetsIsStored() throws Exception {
        submit("bob", "Subject: long\n\n");
        Files.move(folder.find(names().getFirst()), folder.find("new." + "x".repeat(251)));
        assertThat(pickup.store(names().getFirst())).isTrue();
        assertThat(spool.messages).hasSize(1);
    }

    @Test
    void foreignThingsDoNotKeepTheServerFromStarting() throws Exception {
        Path foreign = folder.find("tmp.x");
        Files.createDirectories(foreign.resolve("y"));
        Files.createSymbolicLink(folder.find("tmp.link"), home.resolve("nowhere"));
        Files.createDirectories(folder.path().resolve("taken/not-an-id/x"));
        FileTime old = FileTime.from(NOW.minus(Duration.ofDays(3)));
        Files.setLastModifiedTime(foreign, old);
        Path unfinished = Files.writeString(folder.find("tmp.1"), "x");
        Files.setLastModifiedTime(unfinished, old);
        folder.prepare(NOW);
        Pickup.recover(folder, _ -> false);
        assertThat(foreign.resolve("y")).exists();
        assertThat(unfinished).doesNotExist();
    }

    @Test
    void foldersAreNoFiles() throws Exception {
        Files.createDirectories(folder.find("new.folder/x"));
        submit("bob", "\n");
        assertThat(names()).hasSize(1);
        assertThat(folder.find("new.folder/x")).exists();
    }

    @Test
    void aNameCannotForgeFieldsOfTheLogAndALineIsWrittenOnceAMinute() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Pickup.class);
        logger.addAppender(log);
        spool.full = true;
        for (int i = 0; i < 3; i++) {
            pickup.store(Files.writeString(folder.find("new." + i + "\n event=user-added name=\u202eroot"), "x")
                    .getFileName().toString());
        }
        logger.detachAppender(log);
        assertThat(log.list).singleElement().extracting(ILoggingEvent::getFormattedMessage).asString()
                .contains("file=new.0\\u000a\\u0020event=user-added\\u0020name=\\u202eroot error=");
    }

    @Test
    void theBoundsOfSetAsideFilesHoldForTheOldest() throws Exception {
        for (int i = 0; i < 1_002; i++) {
            pickup.store(Files.writeString(folder.find("new." + i), "no message").getFileName().toString());
        }
        assertThat(everything()).hasSize(1_000);
        folder.prepare(Instant.now().plus(Duration.ofDays(31)));
        assertThat(everything()).isEmpty();
    }

    /// A folder that is not empty cannot be deleted as a file on a failing disk cannot.
    @Test
    void aFileThatCannotBeDeletedIsNotSentAgain() throws Exception {
        submit("bob", "\n");
        arrived = id -> {
            Path taken = folder.path().resolve("taken/" + id);
            try {
                Files.delete(taken);
                Files.createDirectories(taken.resolve("x"));
            } catch (IOException trouble) {
                throw new UncheckedIOException(trouble);
            }
        };
        assertThat(pickup.store(names().getFirst())).isTrue();
        Pickup.recover(folder, _ -> false);
        assertThat(names()).isEmpty();
        try (Stream<Path> stuck = Files.list(folder.path().resolve("taken"))) {
            assertThat(stuck).singleElement().asString().endsWith(".stored");
        }
    }

    /// Its program was killed, or the power failed, before the file got its name.
    @Test
    void aWholeFileWithoutItsNameIsTaken() throws Exception {
        submit("bob", "Subject: whole\n\n");
        submit("bob", "Subject: cut\n\n");
        for (String name : names()) {
            Path unfinished = Files.move(folder.find(name), folder.find(name.replace("new.", "tmp.")));
            if (Files.readString(unfinished).contains("cut")) {
                Files.write(unfinished, Arrays.copyOf(Files.readAllBytes(unfinished), 90));
            }
        }
        folder.prepare(Instant.now());
        assertThat(names()).as("a program may be about to name it").isEmpty();
        folder.prepare(Instant.now().plus(Duration.ofMinutes(2)));
        assertThat(text(stored())).contains("Subject: whole");
        assertThat(everything()).singleElement().asString().contains("tmp.");
    }

    private static Envelope someEnvelope() {
        return new Envelope(Optional.empty(), BodyType.SEVEN_BIT, false, Optional.empty(), DsnReturn.UNSPECIFIED,
                List.of(new Recipient(1, Address.parse("bob@here.example").orElseThrow(), Optional.empty(),
                        Set.of())));
    }

    /// A user could otherwise have a file of the server read out.
    @Test
    void linksAreNotRead() throws Exception {
        Path secret = Files.writeString(home.resolve("secret"), "secret");
        Files.createSymbolicLink(folder.find("new.1"), secret);
        Files.createLink(folder.find("new.2"), secret);
        for (String name : names()) {
            assertThat(pickup.store(name)).isTrue();
        }
        assertThat(spool.messages).isEmpty();
        assertThat(names()).isEmpty();
        assertThat(secret).hasContent("secret");
    }

    @Test
    void aKilledServerLeavesNoSecondCopyAndLosesNothing() throws Exception {
        submit("bob", "Subject: first\n\n");
        submit("bob", "Subject: second\n\n");
        List<String> names = names();
        // Files of one moment have no order.
        String left = Files.readString(folder.find(names.getLast())).contains("first") ? "first" : "second";
        QueueId known = new QueueId(77);
        folder.take(names.getFirst(), known);
        folder.take(names.getLast(), new QueueId(78));
        Pickup.recover(folder, known::equals);
        assertThat(names()).hasSize(1);
        assertThat(text(stored())).contains("Subject: " + left);
        assertThat(everything()).isEmpty();
    }

    @Test
    void anUnfinishedFileIsNoMessageAndIsDeletedLater() throws Exception {
        folder.write(envelope());
        assertThat(names()).isEmpty();
        Path unfinished = everything().getFirst();
        folder.prepare(Instant.now());
        assertThat(unfinished).exists();
        Files.setLastModifiedTime(unfinished, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
        folder.prepare(Instant.now());
        assertThat(unfinished).doesNotExist();
    }

    @Test
    void aFileThatVanishesBeforeItHasItsNameIsAFailureOfItsProgram() throws Exception {
        try (DropFileWriter writer = folder.write(envelope())) {
            Files.delete(everything().getFirst());
            assertThatThrownBy(writer::finish).isInstanceOf(IOException.class)
                    .isNotInstanceOf(NoSuchFileException.class).hasMessageContaining("vanished");
        }
    }

    @Test
    void aFileThatAStartOfTheServerHasNamedIsDone() throws Exception {
        try (DropFileWriter writer = folder.write(envelope())) {
            Path unfinished = everything().getFirst();
            Files.move(unfinished, unfinished.resolveSibling(unfinished.getFileName().toString()
                    .replaceFirst("^tmp", "new")));
            writer.finish();
        }
        assertThat(names()).hasSize(1);
    }

    private static DropEnvelope envelope() {
        return new DropEnvelope("a", "", List.of("bob"), Set.of(), DsnReturn.UNSPECIFIED, Optional.empty(),
                BodyType.EIGHT_BIT_MIME);
    }

    @Test
    void usersMayAddFilesAndNotListThem() throws Exception {
        assertThat((int) Files.getAttribute(folder.path(), "unix:mode") & 07777).isEqualTo(03733);
        submit("bob", "\n");
        assertThat(Files.getPosixFilePermissions(folder.find(names().getFirst())))
                .isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
    }

    // ----

    private MemoryDrafts.Stored sent(String arguments, String text) throws Exception {
        submit(arguments, text);
        return stored();
    }

    private void submit(String arguments, String text) throws SendmailException {
        new MessageSubmission(folder, ALICE).submit(SendmailArguments.parse(List.of(arguments.split(" "))),
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private MemoryDrafts.Stored stored() throws IOException {
        spool.messages.clear();
        assertThat(pickup.store(names().getFirst())).isTrue();
        return spool.messages.values().iterator().next();
    }

    private void assertExit(int exit, String arguments, String text) {
        assertThatThrownBy(() -> submit(arguments, text)).isInstanceOfSatisfying(SendmailException.class,
                refused -> assertThat(refused.exit()).isEqualTo(exit));
    }

    private List<Path> everything() {
        try (Stream<Path> files = Files.walk(folder.path())) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException trouble) {
            throw new UncheckedIOException(trouble);
        }
    }

    private List<String> names() throws IOException {
        return folder.inTurns(Set.of()).stream().map(OwnerTurns.DropFile::name).toList();
    }

    private static Path only(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList().getFirst();
        }
    }

    private static String text(MemoryDrafts.Stored message) {
        return new String(message.content(), StandardCharsets.UTF_8);
    }

    private static List<String> recipients(MemoryDrafts.Stored message) {
        return message.envelope().recipients().stream().map(Recipient::address).map(Object::toString).toList();
    }
}
