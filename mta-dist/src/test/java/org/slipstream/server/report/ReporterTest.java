package org.slipstream.server.report;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.settings.DelayTimes;
import org.slipstream.spool.Draft;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

import static org.assertj.core.api.Assertions.assertThat;

class ReporterTest {
    private static final String PEER = "mx1.far.example[192.0.2.25]:25";
    private static final Reply NO_SUCH_USER = Reply.of(550, "5.1.1", "no such user");
    private static final long DAY_MILLIS = 86_400_000;
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    private static final String HEADER = "Received: by here\r\nFrom: Alice <alice@here.example>\r\nSubject: x\r\n"
            + "Message-ID: <one@here.example>\r\n";

    private final ReportedMessage spool = new ReportedMessage();
    private final List<String> happened = new ArrayList<>();
    private Optional<IOException> onSubmit = Optional.empty();
    private Envelope reportEnvelope;
    private byte[] report;

    // The message that was sent; each test changes the part that it checks.
    private Optional<Address> sender = Address.parse("alice@here.example");
    private Optional<String> envelopeId = Optional.empty();
    private DsnReturn returns = DsnReturn.UNSPECIFIED;
    private byte[] message = bytes(HEADER + "\r\nHello\r\n");
    private final List<RecipientState> recipients = new ArrayList<>();
    private Optional<Address> doubleBounces = Optional.empty();
    private boolean smtpUtf8;
    private DeliveryOptions options = DeliveryOptions.NONE;
    @TempDir
    private Path home;

    @Test
    void aRefusedRecipientComesBackAsAReport() {
        envelopeId = Optional.of("QQ314159");
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        Parsed parsed = tell(ReportKind.FAILED);

        assertThat(parsed.header("From")).isEqualTo("Mail Delivery System <MAILER-DAEMON@mail.here.example>");
        assertThat(parsed.header("To")).isEqualTo("<alice@here.example>");
        assertThat(parsed.header("Date")).isEqualTo("Sat, 21 Nov 2026 11:00:00 +0100");
        assertThat(parsed.header("Auto-Submitted")).isEqualTo("auto-replied");
        assertThat(parsed.header("MIME-Version")).isEqualTo("1.0");
        assertThat(parsed.header("Message-ID")).matches("<[^@]+@mail\\.here\\.example>");
        assertThat(parsed.header("In-Reply-To")).isEqualTo("<one@here.example>");
        assertThat(parsed.text()).contains("<nobody@far.example>", "There is no mailbox of this name.",
                "550 5.1.1 no such user", PEER, "<postmaster@here.example>", "Sat, 21 Nov 2026 08:00:00 +0100");
        assertThat(parsed.encoding(0)).as("plain to read, even without a mail program").isEqualTo("7bit");
        assertThat(parsed.text().lines()).allMatch(line -> line.length() <= 78);
        assertThat(parsed.blocks()).hasSize(2);
        assertThat(parsed.blocks().get(0)).containsEntry("Reporting-MTA", "dns; mail.here.example")
                .containsEntry("Original-Envelope-Id", "QQ314159")
                .containsEntry("Arrival-Date", "Sat, 21 Nov 2026 08:00:00 +0100")
                .containsEntry("X-Slipstream-Queue-ID", id().toString());
        assertThat(parsed.blocks().get(1)).containsOnlyKeys("Final-Recipient", "Action", "Status", "Remote-MTA",
                "Diagnostic-Code", "Last-Attempt-Date", "Final-Log-ID")
                .containsEntry("Final-Recipient", "rfc822; nobody@far.example")
                .containsEntry("Action", "failed").containsEntry("Status", "5.1.1")
                .containsEntry("Remote-MTA", "dns; mx1.far.example")
                .containsEntry("Diagnostic-Code", "smtp; 550 5.1.1 no such user")
                .containsEntry("Last-Attempt-Date", "Sat, 21 Nov 2026 10:59:59 +0100");
        assertThat(parsed.parts()).hasSize(3);
        assertThat(parsed.type(2)).isEqualTo("text/rfc822-headers");
        assertThat(parsed.decoded(2)).asString().isEqualTo(HEADER);
    }

    /// RFC 8689 section 5: otherwise the report could be stuck behind the same TLS.
    @Test
    void theReportOfMailThatNeedsNoTlsNeedsNone() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        assertThat(tell(ReportKind.FAILED).headerNames()).doesNotContain("TLS-Required");
        assertThat(reportEnvelope.options()).isEqualTo(DeliveryOptions.NONE);
        options = DeliveryOptions.NONE.with(SenderTls.OPTIONAL).withPriority(4);
        assertThat(tell(ReportKind.FAILED).header("TLS-Required")).isEqualTo("No");
        assertThat(reportEnvelope.options()).isEqualTo(DeliveryOptions.NONE.with(SenderTls.OPTIONAL));
    }

    @Test
    void theReportTravelsWithTheNullSenderAndAsksForNoReport() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        tell(ReportKind.FAILED);
        assertThat(reportEnvelope.origin().about()).contains(id());
        assertThat(reportEnvelope.withOrigin(Origin.UNKNOWN)).isEqualTo(new Envelope(Optional.empty(),
                BodyType.SEVEN_BIT, false, Optional.empty(), DsnReturn.UNSPECIFIED,
                List.of(new Recipient(1, Address.of("alice@here.example"), Optional.empty(),
                        Set.of(DsnNotify.NEVER)))));
        assertThat(happened).containsExactly("submitted", "failed " + id());
    }

    @Test
    void oneReportTellsOfAllThatFailedAndOfNoOther() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        add("friend@far.example", RecipientStatus.DELIVERED,
                Optional.of(new Outcome.Delivered(Reply.of(250, "ok"), PEER)));
        add("told@far.example", RecipientStatus.FAILED_AND_REPORTED,
                Optional.of(new Outcome.Failed(NO_SUCH_USER, PEER)));
        deferred("late@far.example", Reply.of(450, "later"), PEER);
        failed("full@far.example", new Reply(552, Optional.empty(), List.of("the mailbox", "is full")), PEER);
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.blocks()).hasSize(3);
        assertThat(parsed.blocks().get(1)).containsEntry("Final-Recipient", "rfc822; nobody@far.example");
        assertThat(parsed.blocks().get(2)).containsEntry("Final-Recipient", "rfc822; full@far.example")
                .containsEntry("Status", "5.0.0").containsEntry("Diagnostic-Code", "smtp; 552 the mailbox / is full");
        assertThat(parsed.text()).doesNotContain("friend", "told@", "late@");
    }

    @Test
    void aReportOfThousandsNamesEachRecipientAndEndsItsTexts() {
        Reply wordy = new Reply(550, EnhancedStatus.parse("5.7.1"), Collections.nCopies(40, "x".repeat(500)));
        for (int i = 0; i < 5_000; i++) {
            failed("r" + i + "@far.example", wordy, PEER);
        }
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(report.length).isLessThan(2 << 20);
        assertThat(parsed.text().lines().filter(line -> line.contains("@far.example>")).count()).isBetween(300L, 600L);
        assertThat(parsed.text()).containsPattern("  and 4[0-9]{3} more recipients, which the delivery status");
        assertThat(parsed.blocks()).hasSize(5_001);
        assertThat(parsed.blocks().get(1)).containsKey("Diagnostic-Code");
        assertThat(parsed.blocks().get(5_000)).containsOnlyKeys("Final-Recipient", "Action", "Status")
                .containsEntry("Final-Recipient", "rfc822; r4999@far.example").containsEntry("Status", "5.7.1");
    }

    @Test
    void behindAnAliasTheReportNamesTheAddressThatTheSenderKnows() {
        recipients.add(new RecipientState(new Recipient(1, Address.of("seller@far.example"),
                Optional.of("rfc822;Sales@here.example"), Set.of()), RecipientStatus.FAILED,
                Optional.of(new Outcome.Failed(NO_SUCH_USER, PEER)), NOW.toEpochMilli()));
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.blocks().get(1)).containsEntry("Original-Recipient", "rfc822; Sales@here.example")
                .containsEntry("Final-Recipient", "rfc822; seller@far.example");
        assertThat(parsed.text()).contains("which you wrote as <Sales@here.example>");
    }

    @Test
    void textThatNoPeerSentIsNotMarkedSmtp() {
        failed("x@gone.example", Reply.of(550, "5.1.2", "domain gone.example not found"), "local");
        failed("y@smart.example", NO_SUCH_USER, "127.0.0.1[127.0.0.1]:2599");
        failed("z@six.example", NO_SUCH_USER, "2001:db8::1[2001:db8::1]:25");
        failed("old@far.example", Reply.of(554, "5.4.7", "message expired in queue after 5d; last reply: 450 later"),
                PEER);
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.blocks().get(4)).containsEntry("Remote-MTA", "dns; mx1.far.example").containsEntry(
                "Diagnostic-Code", "x-slipstream; 554 5.4.7 message expired in queue after 5d; last reply: 450 later");
        assertThat(parsed.blocks().get(1)).doesNotContainKey("Remote-MTA").containsEntry("Diagnostic-Code",
                "x-slipstream; 550 5.1.2 domain gone.example not found");
        assertThat(parsed.blocks().get(2)).containsEntry("Remote-MTA", "dns; [127.0.0.1]");
        assertThat(parsed.blocks().get(3)).containsEntry("Remote-MTA", "dns; [IPv6:2001:db8::1]");
    }

    @Test
    void aDelayIsToldWithTheTimeUntilWhichItIsTried() {
        returns = DsnReturn.FULL;
        deferred("late@far.example", Reply.of(450, "4.2.1", "come back later"), PEER);
        add("untried@far.example", RecipientStatus.OPEN, Optional.empty());
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        Parsed parsed = tell(ReportKind.DELAYED);
        assertThat(parsed.header("Subject")).isEqualTo("Your message is delayed");
        assertThat(parsed.text())
                .contains("not do anything: delivery will be tried again", "late@far.example",
                        "Thu, 26 Nov 2026 08:00:00")
                .doesNotContain("nobody@");
        assertThat(parsed.blocks()).hasSize(3);
        assertThat(parsed.blocks().get(1)).containsEntry("Action", "delayed").containsEntry("Status", "4.2.1")
                .containsEntry("Will-Retry-Until", "Thu, 26 Nov 2026 08:00:00 +0100");
        assertThat(parsed.blocks().get(2)).containsEntry("Status", "4.0.0").doesNotContainKeys("Diagnostic-Code",
                "Last-Attempt-Date");
        assertThat(parsed.type(2)).as("RET speaks of failures").isEqualTo("text/rfc822-headers");
        assertThat(happened).containsExactly("submitted", "delayed " + id() + " 2");
    }

    @Test
    void recipientsWithoutARequestedReportAreLeftOut() {
        failed("quiet@far.example", NO_SUCH_USER, PEER, DsnNotify.NEVER);
        failed("success@far.example", NO_SUCH_USER, PEER, DsnNotify.SUCCESS);
        failed("loud@far.example", NO_SUCH_USER, PEER, DsnNotify.FAILURE, DsnNotify.SUCCESS);
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.blocks()).hasSize(2);
        assertThat(parsed.blocks().get(1)).containsEntry("Final-Recipient", "rfc822; loud@far.example");
    }

    @Test
    void withoutARequestNoReportIsSent() {
        failed("quiet@far.example", NO_SUCH_USER, PEER, DsnNotify.NEVER);
        deferred("late@far.example", Reply.of(450, "later"), PEER, DsnNotify.FAILURE);
        assertThat(reported(ReportKind.FAILED)).isTrue();
        assertThat(reported(ReportKind.DELAYED)).isTrue();
        assertThat(happened).containsExactly("failed " + id(), "delayed " + id() + " 2");
    }

    @Test
    void theNullSenderIsNeverTold() {
        sender = Optional.empty();
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        assertThat(reported(ReportKind.FAILED)).isTrue();
        assertThat(happened).containsExactly("failed " + id());
    }

    @Test
    void ofAMessageThatIsGoneThereIsNothingToTell() {
        assertThat(reporter().report(id(), ReportKind.FAILED)).isTrue();
        assertThat(happened).isEmpty();
    }

    @Test
    void troubleOfOursLeavesTheFailuresUnreported() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        onSubmit = Optional.of(new IOException("no space"));
        assertThat(reported(ReportKind.FAILED)).isFalse();
        onSubmit = Optional.empty();
        spool.onDetails = Optional.of(new IOException("database"));
        assertThat(reported(ReportKind.FAILED)).isFalse();
        assertThat(happened).isEmpty();
        spool.onDetails = Optional.empty();
        assertThat(reported(ReportKind.FAILED)).isTrue();
        assertThat(happened).containsExactly("submitted", "failed " + id());
    }

    @Test
    void aDamagedMessageDoesNotPreventTheReport() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        spool.onContent = Optional.of(new IOException("checksum"));
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.parts()).hasSize(2);
        assertThat(parsed.text()).contains("could not be read");
    }

    @Test
    void aSmallMessageComesBackWholeWhenTheSenderAskedForThat() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        returns = DsnReturn.FULL;
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.type(2)).isEqualTo("message/rfc822");
        assertThat(parsed.decoded(2)).isEqualTo(message);
        returns = DsnReturn.HEADERS;
        assertThat(tell(ReportKind.FAILED).type(2)).isEqualTo("text/rfc822-headers");
    }

    @Test
    void aWholeMessageWith8BitIsDeclaredAsSuch() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        returns = DsnReturn.FULL;
        message = bytes(HEADER + "\r\nGr\374\337e\r\n");
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.decoded(2)).isEqualTo(message);
        assertThat(parsed.encoding(2)).isEqualTo("8bit");
        assertThat(parsed.header("Content-Transfer-Encoding")).isEqualTo("8bit");
        assertThat(reportEnvelope.body()).isEqualTo(BodyType.EIGHT_BIT_MIME);
    }

    @Test
    void largeOrUnsendableContentIsReturnedAsItsHeader() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        returns = DsnReturn.FULL;
        for (String body : List.of("x".repeat(60).concat("\r\n").repeat(1_000), "y".repeat(999) + "\r\n", "bare\nLF",
                "bare\rCR", "NUL\0")) {
            message = bytes(HEADER + "\r\n" + body);
            Parsed parsed = tell(ReportKind.FAILED);
            assertThat(parsed.type(2)).isEqualTo("text/rfc822-headers");
            assertThat(parsed.decoded(2)).asString().isEqualTo(HEADER);
        }
    }

    @Test
    void aHeaderThatIsNot7BitIsEncodedAndComesBackUnchanged() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        for (String line : List.of("Subject: Gr\374\337e=\r\n", "X-Long: " + "z".repeat(5_000) + "\r\n",
                "X-Bare: a\rb\nc\0d \r\n")) {
            message = bytes(line + HEADER + "\r\nbody\r\n");
            Parsed parsed = tell(ReportKind.FAILED);
            assertThat(parsed.encoding(2)).isEqualTo("quoted-printable");
            assertThat(parsed.decoded(2)).isEqualTo(bytes(line + HEADER));
            assertThat(report).as("7-bit as a whole").satisfies(ReporterTest::isAscii);
            assertThat(reportEnvelope.body()).isEqualTo(BodyType.SEVEN_BIT);
        }
    }

    @Test
    void anEndlessHeaderIsCutAtALine() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        message = bytes("X-Line: of fifty octets, repeated until it is too much\r\n".repeat(10_000));
        byte[] returned = tell(ReportKind.FAILED).decoded(2);
        assertThat(returned.length).isBetween(Original.MOST_HEADER_BYTES - 100, Original.MOST_HEADER_BYTES);
        assertThat(returned).asString().endsWith("too much\r\n");
        message = bytes("x".repeat(200_000));
        assertThat(tell(ReportKind.FAILED).decoded(2)).hasSize(Original.MOST_HEADER_BYTES);
    }

    @Test
    void aMessageWithoutHeaderOrWithoutBodyIsNoTrouble() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        for (String content : List.of("", "\r\n", "\r\nbody\r\n", "Subject: x", "Subject: x\r\n")) {
            message = bytes(content);
            assertThat(tell(ReportKind.FAILED).decoded(2)).asString()
                    .isEqualTo(content.startsWith("Subject") ? content : "");
        }
    }

    @Test
    void aPeerCannotWriteIntoOurHeader() {
        envelopeId = Optional.of("id\r\nBcc: victim@far.example\r\n\r\nHello");
        message = bytes("Message-ID: <a@b>\r\n <c@d>\r\nmessage-id: \r\n\t<e@f\0>\r\n\r\n");
        recipients.add(new RecipientState(
                new Recipient(1, Address.of("nobody@far.example"),
                        Optional.of("rfc822;x\r\nStatus: 2.0.0\r\n\r\nAction: delivered\u2028\u0085"), Set.of()),
                RecipientStatus.FAILED,
                Optional.of(new Outcome.Failed(
                        new Reply(550, Optional.empty(),
                                List.of("no\u0085Bcc: x\0", "--=_x", "", "grüße \uD83D\uDE00")),
                        "evil\r\n[x]")),
                NOW.toEpochMilli()));
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.headerNames()).containsExactly("Date", "From", "To", "Subject", "Message-ID", "In-Reply-To",
                "References", "Auto-Submitted", "MIME-Version", "Content-Type");
        assertThat(parsed.blocks()).hasSize(2);
        assertThat(parsed.blocks().get(0)).containsEntry("Original-Envelope-Id",
                "id??Bcc: victim@far.example????Hello");
        assertThat(parsed.blocks().get(1)).containsEntry("Status", "5.0.0").containsEntry("Action", "failed")
                .containsEntry("Diagnostic-Code",
                        "x-slipstream; 550 no?Bcc: x? / --=_x / / gr\\x{FC}\\x{DF}e \\x{1F600}");
        assertThat(parsed.text()).contains("grüße \uD83D\uDE00").doesNotContain("\0");
        assertThat(report).satisfies(ReporterTest::isAscii);
    }

    @Test
    void internationalAddressesAreNamedByTheirNumbersWhereOnlyAsciiMayStand() {
        failed("пример@far.example", NO_SUCH_USER, PEER);
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.type(1)).isEqualTo("message/delivery-status");
        assertThat(report).satisfies(ReporterTest::isAscii);
        assertThat(reportEnvelope.smtpUtf8()).isFalse();
        assertThat(parsed.blocks().get(1)).containsEntry("Final-Recipient",
                "utf-8; \\x{43F}\\x{440}\\x{438}\\x{43C}\\x{435}\\x{440}@far.example");
        assertThat(parsed.text()).contains("пример@far.example");
    }

    @Test
    void theBoundaryIsNowhereInsideEvenWhenASenderGuessesIt() {
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        returns = DsnReturn.FULL;
        String guess = "=_" + id() + "_failed_" + NOW.toEpochMilli();
        message = bytes(
                HEADER + "\r\n--" + guess + "\r\nContent-Type: text/html\r\n\r\nhaha\r\n--" + guess + "_--\r\n");
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.parts()).hasSize(3);
        assertThat(parsed.decoded(2)).isEqualTo(message);
    }

    @Test
    void aSenderTooLongForALineIsInTheEnvelopeAlone() {
        sender = Optional.of(new Address("x".repeat(1_500), "here.example"));
        failed("y".repeat(1_500) + "@far.example", NO_SUCH_USER, PEER);
        assertThat(tell(ReportKind.FAILED).header("To")).isEqualTo("undisclosed-recipients:;");
        assertThat(reportEnvelope.recipients().getFirst().address()).isEqualTo(sender.get());
    }

    @Test
    void textOfStrangersKeepsTheReportReadable() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        DsnReturn[] choices = DsnReturn.values();
        for (int i = 0; i < 300; i++) {
            recipients.clear();
            envelopeId = Optional.of(noise(random));
            returns = choices[random.nextInt(choices.length)];
            message = bytes(noise(random) + noise(random));
            int about = random.nextInt(1, 4);
            for (int r = 0; r < about; r++) {
                Reply reply = new Reply(550, Optional.empty(),
                        List.of(noise(random).replace('\r', ' ').replace('\n', ' '), ""));
                recipients.add(new RecipientState(
                        new Recipient(r + 1, Address.of("x@far.example"), Optional.of(noise(random)), Set.of()),
                        RecipientStatus.FAILED, Optional.of(new Outcome.Failed(reply, noise(random))), 0));
            }
            Parsed parsed = tell(ReportKind.FAILED);
            assertThat(parsed.parts()).as("seed %d round %d", seed, i).hasSize(3);
            assertThat(parsed.blocks()).as("seed %d round %d", seed, i).hasSize(about + 1);
            byte[] returned = parsed.decoded(2);
            assertThat(returned).as("seed %d round %d", seed, i).isEqualTo(Arrays.copyOf(message, returned.length));
        }
    }

    private static String noise(SplittableRandom random) {
        String[] pieces = {"\r\n", "\n", "\r", "\0", " ", "\t", "a", ":", "Subject: x", ";", "ü", "=", "--", "x".repeat(
                1_200), "--=_", "\r\n\r\n", ".", "(", "\"", "\u0085", "<a@b>", "Message-ID: <a@b>"};
        StringBuilder noise = new StringBuilder();
        for (int left = random.nextInt(30); left > 0; left--) {
            noise.append(pieces[random.nextInt(pieces.length)]);
        }
        return noise.toString();
    }

    /// RFC 3461 section 4.1 and 5.2: a confirmation names only delivered recipients for which it
    /// was requested.
    @Test
    void requestedSuccessReportsAreSent() {
        envelopeId = Optional.of("QQ314159");
        returns = DsnReturn.FULL;
        Outcome inMailbox = new Outcome.Delivered(Reply.of(250, "2.1.1", "delivered to mailbox"),
                "maildir:bob@here.example");
        add("bob@here.example", RecipientStatus.DELIVERED, Optional.of(inMailbox), DsnNotify.SUCCESS,
                DsnNotify.FAILURE);
        add("friend@far.example", RecipientStatus.DELIVERED,
                Optional.of(new Outcome.Delivered(Reply.of(250, "2.0.0", "queued"), PEER)), DsnNotify.SUCCESS);
        add("silent@here.example", RecipientStatus.DELIVERED, Optional.of(inMailbox), DsnNotify.FAILURE);
        add("usual@here.example", RecipientStatus.DELIVERED, Optional.of(inMailbox));
        add("nowhere@void.example", RecipientStatus.DELIVERED,
                Optional.of(new Outcome.Delivered(Reply.of(250, "discarded"),
                        "discard:void")),
                DsnNotify.SUCCESS);
        failed("nobody@far.example", NO_SUCH_USER, PEER, DsnNotify.SUCCESS);
        Parsed parsed = parsed(confirmed());
        assertThat(happened).containsExactly("submitted", "removed " + id());
        assertThat(reportEnvelope.sender()).isEmpty();
        assertThat(parsed.header("Subject")).isEqualTo("Your message has arrived");
        assertThat(parsed.text()).contains("bob@here.example", "friend@far.example").doesNotContain("silent@", "usual@",
                "nobody@", "void.example", "There is no mailbox");
        assertThat(parsed.blocks()).hasSize(3);
        assertThat(parsed.blocks().get(0)).containsEntry("Original-Envelope-Id", "QQ314159");
        assertThat(parsed.blocks().get(1)).containsEntry("Action", "delivered").containsEntry("Status", "2.1.1")
                .doesNotContainKeys("Remote-MTA", "Will-Retry-Until");
        assertThat(parsed.blocks().get(2)).containsEntry("Action", "relayed")
                .containsEntry("Remote-MTA", "dns; mx1.far.example");
        assertThat(parsed.type(2)).as("the content comes back with failures alone").isEqualTo("text/rfc822-headers");
    }

    @Test
    void noSuccessIsReportedWithoutARequestOrWithoutASender() {
        add("bob@here.example", RecipientStatus.DELIVERED,
                Optional.of(new Outcome.Delivered(Reply.of(250, "2.0.0", "ok"),
                        "maildir:bob@here.example")),
                DsnNotify.FAILURE);
        assertThat(confirmed()).isTrue();
        sender = Optional.empty();
        add("carl@here.example", RecipientStatus.DELIVERED,
                Optional.of(new Outcome.Delivered(Reply.of(250, "2.0.0", "ok"),
                        "maildir:carl@here.example")),
                DsnNotify.SUCCESS);
        assertThat(confirmed()).isTrue();
        assertThat(happened).isEmpty();
    }

    @Test
    void aReceiptThatCannotBeKeptIsMadeLater() {
        add("bob@here.example", RecipientStatus.DELIVERED,
                Optional.of(new Outcome.Delivered(Reply.of(250, "2.0.0", "ok"),
                        "maildir:bob@here.example")),
                DsnNotify.SUCCESS);
        onSubmit = Optional.of(new IOException("no space"));
        assertThat(confirmed()).isFalse();
        onSubmit = Optional.empty();
        assertThat(confirmed()).isTrue();
        assertThat(happened).containsExactly("submitted", "removed " + id());
    }

    @Test
    @Tag("ZM-43")
    void theStatusNamesTheClientAndTheLogId() {
        message = bytes(
                "Received: from client.far.example ([192.0.2.9])\r\n\tby mail.here.example\r\n" + HEADER + "\r\n");
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.blocks().get(0)).containsEntry("Received-From-MTA", "dns; client.far.example");
        assertThat(parsed.blocks().get(1)).containsEntry("Final-Log-ID", id().toString());
        assertThat(happened).containsExactly("submitted", "failed " + id());
    }

    @Test
    void theTextSaysTheCauseTheNextStepAndTheReply() {
        failed("full@far.example", Reply.of(552, "5.2.2", "quota"), PEER);
        deferred("odd@far.example", Reply.of(451, "4.7.99", "odd"), "local");
        assertThat(tell(ReportKind.FAILED).text()).contains("The mailbox is full.", "Send it again later",
                "On Sat, 21 Nov 2026 10:59:59 +0100", PEER + " replied:", "552 5.2.2 quota");
        assertThat(tell(ReportKind.DELAYED).text()).contains("for reasons of security or policy",
                "this server noted:");
    }

    @Test
    void theEndOfADelayNamesThoseThatWereLate() {
        Outcome there = new Outcome.Delivered(Reply.of(250, "2.0.0", "ok"), PEER);
        add("late@far.example", RecipientStatus.DELIVERED, Optional.of(there));
        add("quiet@far.example", RecipientStatus.DELIVERED, Optional.of(there), DsnNotify.NEVER);
        recipients.add(new RecipientState(new Recipient(3, Address.of("prompt@far.example")),
                RecipientStatus.DELIVERED, Optional.of(there), NOW.toEpochMilli() - 3 * 3_600_000 + 1));
        Parsed parsed = tell(ReportKind.CLEARED);
        assertThat(parsed.header("Subject")).isEqualTo("Your delayed message has arrived");
        assertThat(parsed.blocks()).hasSize(2);
        assertThat(parsed.blocks().get(1)).containsEntry("Final-Recipient", "rfc822; late@far.example")
                .containsEntry("Action", "relayed");
        assertThat(happened).containsExactly("submitted", "delayed " + id() + " 0");
    }

    /// RFC 3834 section 2; failures are due all the same.
    @Test
    void automaticMailGetsNoDelayReport() {
        for (String sign : List.of("Auto-Submitted: auto-generated", "Precedence: bulk", "precedence:\r\n List",
                "List-Id: <l.example>")) {
            message = bytes(sign + "\r\n" + HEADER + "\r\n");
            recipients.clear();
            happened.clear();
            deferred("late@far.example", Reply.of(450, "later"), PEER);
            assertThat(reported(ReportKind.DELAYED)).isTrue();
            assertThat(happened).as(sign).containsExactly("delayed " + id() + " 2");
            deferred("asked@far.example", Reply.of(450, "later"), PEER, DsnNotify.DELAY);
            assertThat(tell(ReportKind.DELAYED).blocks()).hasSize(2);
            failed("nobody@far.example", NO_SUCH_USER, PEER);
            assertThat(tell(ReportKind.FAILED).blocks()).hasSize(2);
        }
        message = bytes("Auto-Submitted: no\r\nX-List: y\r\n" + HEADER + "\r\nPrecedence: bulk\r\n");
        recipients.clear();
        deferred("late@far.example", Reply.of(450, "later"), PEER);
        assertThat(tell(ReportKind.DELAYED).blocks()).hasSize(2);
    }

    @Test
    void aDoubleBounceGoesToThePostmasterAndNoFurther() {
        sender = Optional.empty();
        doubleBounces = Address.parse("postmaster@here.example");
        failed("nobody@far.example", NO_SUCH_USER, PEER, DsnNotify.NEVER);
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.header("Subject")).isEqualTo("Undeliverable report");
        assertThat(reportEnvelope.sender()).isEmpty();
        assertThat(reportEnvelope.recipients().getFirst().address()).hasToString("postmaster@here.example");
        assertThat(happened).containsExactly("submitted", "failed " + id());

        happened.clear();
        envelopeId = reportEnvelope.envelopeId();
        assertThat(reported(ReportKind.FAILED)).isTrue();
        assertThat(happened).as("never a report about a report's report").containsExactly("failed " + id());
    }

    /// RFC 3461 section 5.2.7.
    @Test
    @Tag("ZM-43")
    void anAliasWithSeveralTargetsIsExpanded() {
        Outcome there = new Outcome.Delivered(Reply.of(250, "2.1.1", "delivered"), "maildir:x");
        for (String target : List.of("bob@here.example", "carl@here.example")) {
            recipients.add(new RecipientState(new Recipient(recipients.size() + 1, Address.of(target),
                    Optional.of("rfc822;staff@here.example"), Set.of(DsnNotify.SUCCESS)), RecipientStatus.DELIVERED,
                    Optional.of(there), NOW.toEpochMilli()));
        }
        Parsed parsed = parsed(confirmed());
        assertThat(parsed.blocks()).hasSize(2);
        assertThat(parsed.blocks().get(1)).containsEntry("Action", "expanded").containsEntry("Final-Recipient",
                "rfc822; staff@here.example");
        assertThat(parsed.text()).doesNotContain("bob@", "carl@");
    }

    /// RFC 6533 section 3 and 4.
    @Test
    void anInternationalSenderReadsUnicode() {
        smtpUtf8 = true;
        message = "Subject: Grüße\r\n\r\n".getBytes(StandardCharsets.UTF_8);
        recipients.add(new RecipientState(
                new Recipient(1, Address.of("пример@far.example"), Optional.of("utf-8;\\x{FC}@far.example"), Set.of()),
                RecipientStatus.FAILED, Optional.of(new Outcome.Failed(NO_SUCH_USER, PEER)), 0));
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.type(1)).isEqualTo("message/global-delivery-status");
        assertThat(new String(parsed.decoded(1), StandardCharsets.UTF_8)).contains(
                "Final-Recipient: utf-8; пример@far.example", "Original-Recipient: utf-8; ü@far.example");
        assertThat(parsed.type(2)).isEqualTo("message/global-headers");
        assertThat(reportEnvelope.smtpUtf8()).isTrue();
        assertThat(reportEnvelope.body()).isEqualTo(BodyType.EIGHT_BIT_MIME);
    }

    @Test
    void anOperatorsTemplateIsUsed() throws IOException {
        Path folder = Files.createDirectories(home.resolve("templates"));
        Files.writeString(folder.resolve("failed.txt"),
                "Subject: Nachricht für ${sender} unzustellbar\n\nHier ist ${hostname}, ${count}:\n${recipients}\n");
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        Parsed parsed = tell(ReportKind.FAILED);
        assertThat(parsed.text()).startsWith("Hier ist mail.here.example, 1:\r\n  <nobody@far.example>");
        assertThat(parsed.header("Subject")).startsWith("=?UTF-8?B?");
    }

    @Test
    void aMistakeInATemplateIsNamedWithItsLine() throws IOException {
        Path folder = Files.createDirectories(home.resolve("templates"));
        Files.writeString(folder.resolve("failed.txt"), "Subject: x\n\n${hostnam}\n${recipients}\n");
        Files.writeString(folder.resolve("delayed.txt"), "Hello\n${recipients} here\n${queue\n");
        Files.writeString(folder.resolve("late.txt"), "");
        List<String> mistakes = ReportTemplates.in(home).mistakes();
        assertThat(mistakes).anyMatch(each -> each.startsWith("templates/failed.txt:3: unknown variable ${hostnam}; did"
                + " you mean ${hostname}?"));
        assertThat(mistakes).anyMatch(each -> each.startsWith("templates/delayed.txt:1:"))
                .anyMatch(each -> each.startsWith("templates/delayed.txt:2: ${recipients} stands on"))
                .anyMatch(each -> each.startsWith("templates/delayed.txt:3: a variable without"))
                .anyMatch(each -> each.startsWith("templates/late.txt: there is no report"));
        failed("nobody@far.example", NO_SUCH_USER, PEER);
        assertThat(tell(ReportKind.FAILED).text()).contains("Your message could not be delivered");
    }

    private Parsed tell(ReportKind kind) {
        return parsed(reported(kind));
    }

    private Parsed parsed(boolean done) {
        assertThat(done).isTrue();
        for (String line : new String(report, StandardCharsets.ISO_8859_1).split("\r\n", -1)) {
            assertThat(line.length()).as(line).isLessThanOrEqualTo(998);
            assertThat(line).doesNotContain("\r", "\n", "\0");
        }
        return Parsed.of(report);
    }

    private boolean reported(ReportKind kind) {
        onFile();
        boolean done = reporter().report(id(), kind);
        happened.addAll(spool.marks);
        return done;
    }

    private boolean confirmed() {
        onFile();
        boolean done = reporter().report(id(), ReportKind.DELIVERED);
        happened.addAll(spool.marks);
        return done;
    }

    private void onFile() {
        spool.octets = message;
        MessageSummary summary = new MessageSummary(id(), sender, NOW.toEpochMilli() - 3 * 3_600_000, message.length,
                recipients.size(), 1, 1, 1, false, false);
        spool.details = Optional.of(new MessageDetails(summary, envelope(), 0, List.copyOf(recipients)));
        spool.marks.clear();
    }

    private Reporter reporter() {
        Clock clock = Clock.fixed(NOW, ZoneOffset.ofHours(1));
        return new Reporter(spool, this::submit, new Reporter.ReporterSettings("mail.here.example",
                _ -> Address.of("postmaster@here.example"), 5 * DAY_MILLIS,
                new DelayTimes(List.of(Duration.ofHours(1), Duration.ofHours(2), Duration.ofDays(2))), doubleBounces,
                ReportTemplates.in(home)), clock);
    }

    private MessageSummary submit(Draft draft, Envelope envelope, byte[] content) throws IOException {
        assertThat(draft).isNotNull();
        if (onSubmit.isPresent()) {
            throw onSubmit.get();
        }
        assertThat(spool.marks).as("marked before the report is on disk").isEmpty();
        happened.add("submitted");
        happened.add(spool.about);
        reportEnvelope = envelope;
        report = content;
        return new MessageSummary(new QueueId(id().value() + 1), envelope.sender(), 0, content.length, 1, 1, 0, 0,
                false, false);
    }

    private static QueueId id() {
        return QueueId.after(0, NOW.toEpochMilli());
    }

    private Envelope envelope() {
        return new Envelope(sender, BodyType.EIGHT_BIT_MIME, smtpUtf8, envelopeId, returns,
                recipients.stream().map(RecipientState::recipient).toList()).withOptions(options);
    }

    private void failed(String address, Reply reply, String remote, DsnNotify... notify) {
        add(address, RecipientStatus.FAILED, Optional.of(new Outcome.Failed(reply, remote)), notify);
    }

    private void deferred(String address, Reply reply, String remote, DsnNotify... notify) {
        add(address, RecipientStatus.OPEN, Optional.of(new Outcome.Deferred(reply, remote)), notify);
    }

    private void add(String address, RecipientStatus state, Optional<Outcome> last, DsnNotify... notify) {
        Recipient recipient = new Recipient(recipients.size() + 1, Address.of(address), Optional.empty(),
                Set.of(notify));
        recipients.add(new RecipientState(recipient, state, last, NOW.toEpochMilli() - 1_000));
    }

    private static void isAscii(byte[] content) {
        for (byte b : content) {
            assertThat(b).isGreaterThanOrEqualTo((byte) 0);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
