package org.slipstream.guard.rspamd;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.guard.rspamd.RspamdSettings.RspamdFailure;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Header;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.policy.Tag;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Messages before a worker of Rspamd that answers by HTTP: each action, and each way to fail.
class RspamdCheckTest {
    private static final String MESSAGE = """
            Received: from far\r
            Subject: Gr\u00fc\u00dfe\r
            X-Spam: Yes\r
            x-spam: no\r
            To: bob@here.example\r
            """;
    private static final Duration LONG = Duration.ofMinutes(2);
    private FakeRspamd worker;

    @BeforeEach
    void start() throws IOException {
        worker = new FakeRspamd();
    }

    @AfterEach
    void stop() {
        worker.close();
    }

    @Test
    void theWorkerGetsTheMessageAndTheFactsAboutIt() {
        Policy.Verdict verdict = check(LONG, RspamdFailure.DEFER, Content.of(utf8(MESSAGE)), "bob@here.example",
                "gr\u00fc\u00dfe@here.example");
        assertThat(verdict.refusal()).isEmpty();
        assertThat(verdict.tags()).isEmpty();
        assertThat(verdict.header().isEmpty()).isTrue();
        assertThat(worker.path).isEqualTo("POST /checkv2");
        assertThat(worker.start).isEqualTo(MESSAGE);
        assertThat(worker.facts).containsEntry("From", List.of("ann@far.example"))
                .containsEntry("Rcpt", List.of("bob@here.example", "gr??e@here.example"))
                .containsEntry("Ip", List.of("192.0.2.66")).containsEntry("Helo", List.of("far.example"))
                .containsEntry("Hostname", List.of("mx.far.example"))
                .containsEntry("User", List.of("ann")).containsEntry("Mta-name", List.of("mx.here.example"))
                .containsEntry("Queue-id", List.of(new QueueId(7).toString()))
                .containsEntry("Content-length", List.of(Integer.toString(utf8(MESSAGE).length)));
    }

    /// Java's client throws at a header that is not ASCII, and the session would end.
    @Test
    void namesInAnyScriptPassAsFarAsHttpCanTellThem() {
        RspamdFilter filter = rspamd(settings(worker.url(), LONG, RspamdFailure.DEFER), Optional.empty());
        String chinese = "\u7528\u6237";
        Client client = new Client(1, InetAddress.ofLiteral("2001:db8::1"), Optional.of(chinese), true,
                Optional.empty(), Optional.of(chinese), "submission");
        Envelope envelope = Envelope.of(Optional.of(Address.of(chinese + "@far.example")),
                List.of(Address.of(chinese + "@here.example")));
        Content content = Content.of(utf8(MESSAGE));
        Policy.Verdict verdict = new Policy(
                List.of(new RspamdCheck(filter, "mx.here.example", _ -> Optional.of(chinese)))).end(client,
                        new Check.CheckedMessage(new QueueId(7), envelope, content.sizeBytes(),
                                new Header(List.of()), content));
        assertThat(verdict.refusal()).isEmpty();
        assertThat(worker.facts).containsEntry("From", List.of("??@far.example"))
                .containsEntry("User", List.of("??")).containsEntry("Ip", List.of("2001:db8:0:0:0:0:0:1"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "reject      |                | 550 5.7.1 Spam message rejected",
            "reject      | Gtube pattern  | 550 5.7.1 Gtube pattern",
            "discard     |                | 550 5.7.1 Spam message rejected",
            "soft reject |                | 451 4.7.1 Try again later",
            "soft reject | Greylisted     | 451 4.7.1 Greylisted",
            "reject      | Nein\\r\\n250 \u00dc | 550 5.7.1 Nein 250"})
    void refusals(String action, String text, String reply) {
        worker.answer = "{\"action\":\"" + action + "\",\"messages\":{"
                + (text == null ? "" : "\"smtp_message\":\"" + text + "\"") + "}}";
        assertThat(check().refusal().map(Reply::toString)).contains(reply);
    }

    /// `greylist` is what remains of a message for which greylisting is over.
    @ParameterizedTest
    @ValueSource(strings = {"greylist", "of the operator"})
    void otherActionsOnlyTag(String action) {
        worker.answer = "{\"action\":\"" + action + "\",\"score\":4.5,\"required_score\":15.0}";
        Policy.Verdict verdict = check();
        assertThat(verdict.refusal()).isEmpty();
        assertThat(verdict.tags()).containsExactly(new Tag("rspamd", action + " 4.50/15.00"));
        assertThat(after(verdict)).isEqualTo(MESSAGE);
    }

    @Test
    void spamIsMarkedAndNoMarkOfTheSenderStays() {
        worker.answer = "{\"action\":\"add header\",\"score\":7,\"required_score\":15}";
        Policy.Verdict verdict = check();
        assertThat(verdict.tags()).containsExactly(new Tag("rspamd", "add header 7.00/15.00"));
        assertThat(after(verdict)).isEqualTo("""
                X-Spam: Yes\r
                Received: from far\r
                Subject: Gr\u00fc\u00dfe\r
                To: bob@here.example\r
                """);
    }

    @Test
    void theMarkMayHaveAnotherName() {
        worker.answer = "{\"action\":\"add header\",\"milter\":{\"spam_header\":{\"To\":\"Junk\"}}}";
        assertThat(after(check())).startsWith("To: Junk\r\nReceived").doesNotContain("bob@here.example");
    }

    @Test
    void theSubjectIsRewritten() {
        worker.answer = "{\"action\":\"rewrite subject\",\"subject\":\"*** SPAM *** Gr\u00fc\u00dfe\"}";
        assertThat(after(check())).startsWith("Subject: =?UTF-8?Q?***_SPAM_***_Gr=C3=BC=C3=9Fe?=\r\nReceived: ")
                .doesNotContain("Subject: Gr");
    }

    @Test
    void fieldsOfTheMilterBlockAndSignaturesAreAdded() {
        worker.answer = """
                {"action": "no action", "dkim-signature": "v=1; a=rsa-sha256;\\r\\n\\tb=abc",
                 "milter": {
                   "remove_headers": {"X-SPAM": 2, "to": -1, "Absent": 0, "Received": "odd"},
                   "add_headers": {
                     "X-Last": "x",
                     "X-Second": {"value": "two", "order": 2},
                     "X-First": [{"value": "a", "order": 0}, {"value": "b\\nBcc: all@here.example", "order": 1}],
                     "No name": "x", "X-Long": "%s"}}}
                """.formatted("z".repeat(1500));
        assertThat(after(check())).isEqualTo("""
                DKIM-Signature: v=1; a=rsa-sha256;\r
                \tb=abc\r
                X-First: a\r
                X-First: b\r
                \tBcc: all@here.example\r
                X-Second: two\r
                X-Last: x\r
                X-Long: %s\r
                \t%s\r
                Received: from far\r
                Subject: Gr\u00fc\u00dfe\r
                X-Spam: Yes\r
                """.formatted("z".repeat(918), "z".repeat(1500 - 918)));
    }

    @Test
    void anActionThatIsSwitchedOffIsOnlyTold() {
        worker.answer = "{\"action\":\"reject\",\"milter\":{\"no_action\":true}}";
        Policy.Verdict verdict = check();
        assertThat(verdict.refusal()).isEmpty();
        assertThat(after(verdict)).isEqualTo("X-Rspamd-Action: reject\r\n" + MESSAGE);
    }

    // ---- failures

    @ParameterizedTest
    @ValueSource(strings = {"", "no JSON", "[]", "{}", "{\"action\":7}", "{\"action\":\"no action\""})
    void nonsenseIsNoAnswer(String nonsense) {
        worker.answer = nonsense;
        assertDefers(check());
    }

    @Test
    void anErrorIsNoAnswerWhateverItsText() {
        worker.status = 500;
        assertDefers(check());
    }

    @Test
    void anEndlessAnswerIsNotRead() {
        worker.answer = "{\"action\":\"no action\",\"x\":\"" + "x".repeat(2 << 20) + "\"}";
        assertDefers(check());
    }

    @Test
    void aSilentWorkerIsGivenUp() {
        worker.silent = true;
        assertDefers(check(Duration.ofMillis(50), RspamdFailure.DEFER, Content.of(utf8(MESSAGE)), "bob@here.example"));
    }

    @Test
    void contentThatCannotBeReadIsNoMessage() {
        assertDefers(check(LONG, RspamdFailure.DEFER, new Content() {
            @Override
            public long sizeBytes() {
                return 10;
            }

            @Override
            public InputStream open() throws IOException {
                throw new IOException("Input/output error");
            }
        }, "bob@here.example"));
    }

    @Test
    void mailPassesWithoutTheFilterWhereTheOperatorWantsThat() {
        worker.status = 503;
        Policy.Verdict verdict = check(LONG, RspamdFailure.ACCEPT, Content.of(utf8(MESSAGE)), "bob@here.example");
        assertThat(verdict.refusal()).isEmpty();
        assertThat(verdict.tags()).containsExactly(new Tag("rspamd", "unavailable"));
    }

    @Test
    void aFailureIsATroubleUntilTheNextAnswer() {
        RspamdFilter filter = rspamd(settings(worker.url(), LONG, RspamdFailure.DEFER), Optional.empty());
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(RspamdFilter.class);
        logger.addAppender(log);
        Level before = logger.getLevel();
        logger.setLevel(Level.INFO);
        assertThat(filter.trouble()).isEmpty();
        worker.status = 500;
        ask(filter, Content.of(utf8(MESSAGE)), "bob@here.example");
        worker.status = 503;
        ask(filter, Content.of(utf8(MESSAGE)), "bob@here.example");
        TroubleView trouble = filter.trouble().orElseThrow();
        assertThat(trouble.what()).isEqualTo("rspamd");
        assertThat(trouble.reason()).isEqualTo("the answer has the status 503");
        assertThat(trouble.meaning()).contains("451");
        worker.status = 200;
        ask(filter, Content.of(utf8(MESSAGE)), "bob@here.example");
        ask(filter, Content.of(utf8(MESSAGE)), "bob@here.example");
        assertThat(filter.trouble()).isEmpty();
        logger.setLevel(before);
        logger.detachAppender(log);
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).satisfiesExactly(
                first -> assertThat(first).contains("event=filter-unavailable", "status 500"),
                second -> assertThat(second).contains("event=filter-available"));
    }

    @Test
    void nothingListensIsTheTextOfTheSystem() {
        URI gone = worker.url();
        worker.close();
        RspamdFilter filter = rspamd(settings(gone, LONG, RspamdFailure.DEFER), Optional.empty());
        ask(filter, Content.of(utf8(MESSAGE)), "bob@here.example");
        assertThat(filter.trouble().orElseThrow().reason()).isEqualTo("Connection refused");
    }

    // ---- size

    /// Larger than any array.
    @Test
    void aHugeMessageStreams() {
        long huge = 3L << 30;
        Content zeros = new Content() {
            @Override
            public long sizeBytes() {
                return huge;
            }

            @Override
            public InputStream open() {
                return new Zeros(huge);
            }
        };
        assertThat(check(LONG, RspamdFailure.DEFER, zeros, "bob@here.example").refusal()).isEmpty();
        assertThat(worker.bytes).isEqualTo(huge);
    }

    @Test
    void aThousandLongRecipientsDoNotBreakTheRequest() {
        String[] all = IntStream.range(0, 1_000).mapToObj(i -> "x".repeat(60) + i + "@here.example")
                .toArray(String[]::new);
        assertThat(check(LONG, RspamdFailure.DEFER, Content.of(utf8(MESSAGE)), all).refusal()).isEmpty();
        assertThat(worker.facts.get("Rcpt")).hasSizeBetween(300, 600);
    }

    // ---- settings

    @Test
    void settingsThatStayKeepTheStateOfTheFilter() {
        worker.status = 500;
        RspamdSettings settings = settings(worker.url(), LONG, RspamdFailure.DEFER);
        RspamdFilter filter = rspamd(settings, Optional.empty());
        ask(filter, Content.of(utf8(MESSAGE)), "bob@here.example");
        assertThat(rspamd(settings, Optional.of(filter)).trouble()).isPresent();
        assertThat(rspamd(settings(worker.url(), LONG, RspamdFailure.ACCEPT), Optional.of(filter)).trouble()).isEmpty();
        assertThat(RspamdFilter.of(new RspamdSettings(Optional.empty(), LONG, RspamdFailure.DEFER),
                Optional.of(filter))).isEmpty();
    }

    private static final class Zeros extends InputStream {
        private long left;

        private Zeros(long left) {
            this.left = left;
        }

        @Override
        public int read() {
            return left-- > 0 ? 0 : -1;
        }

        @Override
        public int read(byte[] block, int from, int length) {
            int count = (int) Math.min(length, left);
            left -= count;
            return count == 0 ? -1 : count;
        }
    }

    private static void assertDefers(Policy.Verdict verdict) {
        assertThat(verdict.refusal().map(Reply::toString))
                .contains("451 4.3.0 Content filter unavailable - try again later");
    }

    private static RspamdSettings settings(URI url, Duration timeout, RspamdFailure failure) {
        return new RspamdSettings(Optional.of(url), timeout, failure);
    }

    private static RspamdFilter rspamd(RspamdSettings settings, Optional<RspamdFilter> before) {
        return RspamdFilter.of(settings, before).orElseThrow();
    }

    private Policy.Verdict check() {
        return check(LONG, RspamdFailure.DEFER, Content.of(utf8(MESSAGE)), "bob@here.example");
    }

    private Policy.Verdict check(Duration timeout, RspamdFailure failure, Content content, String... recipients) {
        return ask(rspamd(settings(worker.url(), timeout, failure), Optional.empty()), content, recipients);
    }

    private static Policy.Verdict ask(RspamdFilter filter, Content content, String... recipients) {
        Client client = new Client(1, InetAddress.ofLiteral("192.0.2.66"), Optional.of("far.example"), true,
                Optional.empty(), Optional.of("ann"), "smtp");
        Envelope envelope = Envelope.of(Optional.of(Address.of("ann@far.example")),
                List.of(recipients).stream().map(Address::of).toList());
        Check check = new RspamdCheck(filter, "mx.here.example", _ -> Optional.of("mx.far.example"));
        return new Policy(List.of(check)).end(client, new Check.CheckedMessage(new QueueId(7), envelope,
                content.sizeBytes(), new Header(List.of()), content));
    }

    /// The header as it is stored.
    private static String after(Policy.Verdict verdict) {
        return new String(verdict.header().addedLines(), StandardCharsets.UTF_8)
                + new String(verdict.header().remaining(utf8(MESSAGE)), StandardCharsets.UTF_8);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
