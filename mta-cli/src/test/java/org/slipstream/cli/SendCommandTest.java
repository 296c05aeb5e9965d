package org.slipstream.cli;

import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.random.RandomGeneratorFactory;

import static org.assertj.core.api.Assertions.assertThat;

class SendCommandTest {
    private static final SinkScript ACCEPTING = SinkScript.smtp().extensions(List.of("8BITMIME", "SMTPUTF8"))
            .on(SinkPhase.FINAL_DOT, SinkAction.reply("250 2.0.0 queued as 1p4q0c8k2v0"));

    @TempDir
    Path home;
    private SmtpSink sink;
    private Console console;

    @BeforeEach
    void start() {
        sink = SmtpSink.start(ACCEPTING);
        console = new Console(home);
    }

    @AfterEach
    void stop() {
        sink.close();
    }

    @Test
    void aMessageOfAFewWordsIsComposed() throws Exception {
        Files.writeString(home.resolve("mta.toml"), "hostname = \"mail.here.example\"\n");
        Console.Ran ran = send("--from", "me@here.example", "--to", "a@x.example,b@y.example", "--subject",
                "Gr\u00fc\u00dfe aus M\u00fcnchen", "--text", "Sch\u00f6n.\n.\nEnde");
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out()).isEqualTo("250 2.0.0 queued as 1p4q0c8k2v0" + System.lineSeparator());
        assertThat(ran.exit()).isZero();
        assertThat(sink.commands()).contains("EHLO mail.here.example", "RCPT TO:<a@x.example>",
                "RCPT TO:<b@y.example>");
        MimeMessage message = new MimeMessage(Session.getInstance(new Properties()),
                new ByteArrayInputStream(received()));
        assertThat(message.getSubject()).isEqualTo("Gr\u00fc\u00dfe aus M\u00fcnchen");
        assertThat(message.getFrom()[0]).hasToString("me@here.example");
        assertThat(message.getAllRecipients()).hasSize(2);
        assertThat(message.getSentDate()).isNotNull();
        assertThat(message.getMessageID()).endsWith("@mail.here.example>");
        assertThat(text(message)).isEqualToNormalizingNewlines("Sch\u00f6n.\n.\nEnde\n");
    }

    @Test
    void theTextMayComeFromStandardInput() throws Exception {
        console.input = "disk is full\n".getBytes(StandardCharsets.UTF_8);
        assertThat(send("--from", "me@here.example", "--to", "a@x.example", "--subject", "Disk").exit()).isZero();
        MimeMessage message = new MimeMessage(Session.getInstance(new Properties()),
                new ByteArrayInputStream(received()));
        assertThat(text(message)).isEqualToNormalizingNewlines("disk is full\n");
    }

    @Test
    void aFileIsSentByteForByte() throws IOException {
        byte[] content = ("Received: by nobody\r\nBcc: secret@x.example\r\nSubject: =?utf-8?q?odd\r\n"
                + "X-Long: " + "x".repeat(1500) + "\r\nContent-Length: 7\r\nno header at all\r\n\r\n"
                + ".dot\r\n..two\r\n.\r\n\u00e4\u00ff 8 bit, trailing blanks  \t\r\n\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        Path file = Files.write(home.resolve("message.eml"), content);
        assertThat(send("--from", "me@here.example", "--to", "a@x.example", "--eml", file.toString()).exit()).isZero();
        assertThat(received()).isEqualTo(content);
        assertThat(sink.commands()).contains("MAIL FROM:<me@here.example> BODY=8BITMIME");
    }

    @Test
    void bytesAtRandomStayAsTheyAre() throws IOException {
        long seed = System.nanoTime();
        var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        String alphabet = "a.\u00e4\u0000\u00ff \t";
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < 2000; line++) {
            int length = random.nextInt(12);
            for (int i = 0; i < length; i++) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            text.append("\r\n");
        }
        console.input = text.toString().getBytes(StandardCharsets.ISO_8859_1);
        assertThat(send("--from", "me@here.example", "--to", "a@x.example").exit()).isZero();
        assertThat(received()).as("seed %d", seed).isEqualTo(console.input);
    }

    @Test
    void linesOfThisSystemBecomeLinesOfTheWire() throws IOException {
        console.input = "Subject: x\n\none\n.\ntwo".getBytes(StandardCharsets.US_ASCII);
        assertThat(send("-f", "me@here.example", "-t", "a@x.example", "-i").exit()).isZero();
        assertThat(new String(received(), StandardCharsets.US_ASCII))
                .isEqualTo("Subject: x\r\n\r\none\r\n.\r\ntwo\r\n");
        assertThat(sink.commands()).as("seven bits need no declaration").contains("MAIL FROM:<me@here.example>");
    }

    @Test
    void reportsAreSentWithoutASender() {
        console.input = "Subject: x\n\nx\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(send("--from", "<>", "--to", "a@x.example").exit()).isZero();
        assertThat(sink.commands()).contains("MAIL FROM:<>");
        assertThat(send("--from", "<>", "--to", "a@x.example", "--text", "x").exit()).isEqualTo(2);
    }

    @Test
    void aRefusedRecipientDoesNotKeepTheMailFromTheOthers() {
        sink.change(script -> script.onRecipient("nobody@x.example", SinkAction.reply("550 5.1.1 no such user")));
        sink.change(script -> script.onRecipient("later@x.example", SinkAction.reply("450 4.2.1 come back later")));
        Console.Ran ran = send("--from", "me@here.example", "--to", "nobody@x.example,a@x.example,later@x.example",
                "--text", "x");
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out()).contains("queued as");
        assertThat(ran.err().lines()).containsExactlyInAnyOrder(
                "mta: nobody@x.example was refused: 550 5.1.1 no such user",
                "mta: later@x.example was refused: 450 4.2.1 come back later");
        assertThat(sink.messages()).hasSize(1);
    }

    @Test
    void whenEverybodyIsRefusedNothingIsSent() {
        sink.change(script -> script.on(SinkPhase.RCPT, SinkAction.reply("550 5.7.1 relaying denied")));
        Console.Ran ran = send("--from", "me@here.example", "--to", "a@x.example,b@x.example", "--text", "x");
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err().lines()).hasSize(2).allSatisfy(line -> assertThat(line).contains("550 5.7.1"));
        assertThat(sink.messages()).isEmpty();
    }

    @Test
    void aRefusedSenderOrMessageIsToldWithTheReply() {
        sink.change(script -> script.on(SinkPhase.MAIL, SinkAction.reply("552 5.3.4 too large")));
        Console.Ran sender = send("--from", "me@here.example", "--to", "a@x.example", "--text", "x");
        assertThat(sender.exit()).isEqualTo(1);
        assertThat(sender.err()).contains("552 5.3.4 too large").doesNotContain("\tat ");
        sink.follow(ACCEPTING.on(SinkPhase.FINAL_DOT, SinkAction.reply("554 5.6.0 we do not like it")));
        Console.Ran message = send("--from", "me@here.example", "--to", "a@x.example", "--text", "x");
        assertThat(message.exit()).isEqualTo(1);
        assertThat(message.out()).isEmpty();
        assertThat(message.err()).contains("554 5.6.0 we do not like it");
    }

    @Test
    void aServerThatIsNotThereIsExitCode4() {
        sink.stop();
        Console.Ran ran = send("--from", "me@here.example", "--to", "a@x.example", "--text", "x");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err().lines()).singleElement().asString().startsWith("mta: cannot connect to 127.0.0.1");
    }

    @Test
    void aServerThatSendsEverybodyAwayIsExitCode4() {
        sink.change(script -> script.on(SinkPhase.EHLO, SinkAction.reply("421 4.3.2 not now")));
        Console.Ran ran = send("--from", "me@here.example", "--to", "a@x.example", "--text", "x");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("421 4.3.2").doesNotContain("\tat ");
    }

    @Test
    void withoutServerTheSubmissionPortOfTheHomeIsUsed() throws IOException {
        Files.writeString(home.resolve("mta.toml"), "[listen]\nsubmission = \"" + address() + "\"\n");
        assertThat(console.run("send", "--from", "me@here.example", "--to", "a@x.example", "--text", "x").exit())
                .isZero();
        Files.writeString(home.resolve("mta.toml"),
                "[listen]\nsubmission = \"off\"\nsmtp = \"" + address() + "\"\n");
        assertThat(console.run("send", "--from", "me@here.example", "--to", "a@x.example", "--text", "x").exit())
                .isZero();
        assertThat(sink.messages()).hasSize(2);
        Files.writeString(home.resolve("mta.toml"), "[listen]\nsubmission = \"127.0.0.1:0\"\n");
        assertThat(console.run("send", "--from", "me@here.example", "--to", "a@x.example", "--text", "x").exit())
                .isEqualTo(2);
        Files.writeString(home.resolve("mta.toml"), "[listn]\n");
        assertThat(console.run("send", "--from", "me@here.example", "--to", "a@x.example", "--text", "x").exit())
                .isEqualTo(78);
    }

    @Test
    void wherePeopleLogInTheCommandUsesThePortOfOtherServers() throws IOException {
        String login = "[submission]\nnetworks-without-login = false\n";
        Files.writeString(home.resolve("mta.toml"),
                "[listen]\nsubmission = \"127.0.0.1:1\"\nsmtp = \"" + address() + "\"\n" + login);
        assertThat(console.run("send", "--to", "a@x.example", "--text", "x").exit()).isZero();
        assertThat(sink.messages()).hasSize(1);
        Files.writeString(home.resolve("mta.toml"),
                "[listen]\nsubmission = \"" + address() + "\"\nsmtp = \"off\"\n" + login);
        Console.Ran ran = console.run("send", "--to", "a@x.example", "--text", "x");
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("without a login", "sendmail");
    }

    @Test
    void theSenderIsTheUserWhoCallsAtTheDomainOfLocalPrograms() throws IOException {
        String user = System.getProperty("user.name");
        Files.writeString(home.resolve("mta.toml"), "hostname = \"mail.here.example\"\n");
        assertThat(send("--to", "a@x.example", "--text", "x").exit()).isZero();
        Files.writeString(home.resolve("mta.toml"), "[maildrop]\ndomain = \"here.example\"\n");
        assertThat(send("--to", "a@x.example", "--text", "x").exit()).isZero();
        assertThat(sink.commands()).contains("MAIL FROM:<" + user + "@mail.here.example>",
                "MAIL FROM:<" + user + "@here.example>");
    }

    @Test
    void anAddressOutsideOfAsciiIsDeclared() {
        assertThat(send("--from", "me@here.example", "--to", "j\u00fcrgen@x.example", "--text", "x").exit()).isZero();
        assertThat(sink.commands()).anyMatch(line -> line.startsWith("MAIL FROM") && line.contains("SMTPUTF8"));
    }

    @Test
    void contradictionsAreWrongUsage() {
        assertThat(send("--from", "me@here.example", "--to", "a@x.example", "--text", "x", "--eml", "f").exit())
                .isEqualTo(2);
        assertThat(send("--from", "me@here.example", "--to", "no address").exit()).isEqualTo(2);
        assertThat(send("--from", "me@here.example", "--to", "a@x.example", "--eml", "not/there").exit()).isEqualTo(2);
        assertThat(send("--from", "me@here.example").exit()).isEqualTo(2);
        assertThat(console.run("send", "--from", "a@b", "--to", "a@b", "--server", "x:y").exit()).isEqualTo(2);
        assertThat(sink.commands()).isEmpty();
    }

    private Console.Ran send(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "send";
        all[1] = "--server";
        all[2] = address();
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return console.run(all);
    }

    private String address() {
        return "127.0.0.1:" + sink.port();
    }

    private byte[] received() {
        return sink.messages().getLast().content();
    }

    private static String text(jakarta.mail.Part part) throws Exception {
        return part.getContent() instanceof jakarta.mail.Multipart many
                ? text(many.getBodyPart(0))
                : part.getContent().toString();
    }
}
