package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.MailAccount;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.RequiresRoot;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.StubDns;
import org.slipstream.testkit.TestCertificates;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Peers and name servers with faults, all of one server with short timeouts: the account of each
/// balances, and the mail arrives once the peer works.
@RequiresPrograms("iptables")
@RequiresRoot
class FaultyPeersIT {
    private static final int MESSAGES = 6;
    private static final String PARTED = "parted.example";
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<Peer, SmtpSink> SINKS = new EnumMap<>(Peer.class);
    private static final String THIEF = "thief.example";
    private static final InetSocketAddress THIEFS_PORT = new InetSocketAddress("127.0.29.1", 25);
    private static SmtpSink thief;
    private static SmtpSink parted;
    private static SmtpSink expired;
    private static SmtpSink verified;
    private static StubDns dns;
    private static PackagedServer server;

    /// A fault that ends, and the copies that it may repeat.
    enum Peer {
        SILENT_AT_CONNECT(0), SILENT_AT_EHLO(0), SILENT_AT_MAIL(0), SILENT_AT_RCPT(0), SILENT_AT_DATA(
                0), SILENT_AFTER_THE_DOT(2), CLOSES_AFTER_THE_DOT(2), RESETS_AT_RCPT(0), DRIPS(
                        0), REFUSES_AT_CONNECT_FOR_NOW(0), REFUSES_AT_CONNECT(0), TOO_MANY_CONNECTIONS(
                                0), DEFERS_THE_CONTENT(0), REFUSES_THE_CONTENT(0), DISCARDS_A_PIPELINE(
                                        0), TAKES_AND_CLOSES(0), REPLIES_TWICE(
                                                MESSAGES), REPLIES_NONSENSE(0), REPLIES_OUT_OF_ORDER(0);

        private final int mayRepeat;

        Peer(int mayRepeat) {
            this.mayRepeat = mayRepeat;
        }

        String domain() {
            return "peer" + ordinal() + ".example";
        }

        private static SinkScript twice(SinkPhase phase, SinkAction action) {
            return SinkScript.smtp().on(phase, action.applies(2));
        }

        SinkScript script() {
            return switch (this) {
                case SILENT_AT_CONNECT -> twice(SinkPhase.CONNECT, SinkAction.stall());
                case SILENT_AT_EHLO -> twice(SinkPhase.EHLO, SinkAction.stall());
                case SILENT_AT_MAIL -> twice(SinkPhase.MAIL, SinkAction.stall());
                case SILENT_AT_RCPT -> twice(SinkPhase.RCPT, SinkAction.stall());
                case SILENT_AT_DATA -> twice(SinkPhase.DATA, SinkAction.stall());
                case SILENT_AFTER_THE_DOT -> twice(SinkPhase.FINAL_DOT, SinkAction.stall());
                case CLOSES_AFTER_THE_DOT -> twice(SinkPhase.FINAL_DOT, SinkAction.close());
                case RESETS_AT_RCPT -> twice(SinkPhase.RCPT, SinkAction.reset());
                case DRIPS -> SinkScript.smtp().on(SinkPhase.RCPT, SinkAction.usual().drips(Duration.ofMillis(5)))
                        .on(SinkPhase.FINAL_DOT, SinkAction.usual().drips(Duration.ofMillis(5)));
                case REFUSES_AT_CONNECT_FOR_NOW -> twice(SinkPhase.CONNECT,
                        SinkAction.reply("421 4.3.2 not now").thenCloses());
                case REFUSES_AT_CONNECT -> twice(SinkPhase.CONNECT,
                        SinkAction.reply("554 5.7.1 no mail from you").thenCloses());
                case TOO_MANY_CONNECTIONS -> SinkScript.smtp().connectionLimit(1);
                case DEFERS_THE_CONTENT -> twice(SinkPhase.FINAL_DOT, SinkAction.reply("451 4.3.0 later"));
                case REFUSES_THE_CONTENT -> twice(SinkPhase.FINAL_DOT, SinkAction.reply("554 5.6.0 no"));
                case DISCARDS_A_PIPELINE -> SinkScript.smtp().discardsPipelinedCommands();
                case TAKES_AND_CLOSES -> SinkScript.smtp().on(SinkPhase.FINAL_DOT, SinkAction.usual().thenCloses());
                case REPLIES_TWICE -> twice(SinkPhase.MAIL, SinkAction.reply("250 2.1.0 ok\r\n250 2.1.0 ok"));
                case REPLIES_NONSENSE -> twice(SinkPhase.MAIL, SinkAction.reply("wisdom"));
                // The reply to DATA comes first, those to the envelope follow.
                case REPLIES_OUT_OF_ORDER -> twice(SinkPhase.MAIL, SinkAction.reply("354 go on"))
                        .on(SinkPhase.DATA, SinkAction.reply("250 2.1.0 ok").applies(2));
            };
        }
    }

    @BeforeAll
    static void start() {
        thief = BENCH.keep(SmtpSink.on(THIEFS_PORT, SinkScript.smtp()));
        dns = BENCH.keep(StubDns.start()).address(THIEF, THIEFS_PORT.getAddress());
        var settings = Settings.quick().set("smtp-client.dns-servers", dns.address());
        for (var timeout : List.of("greeting", "command", "data-reply", "data-block", "connect")) {
            settings = settings.set("smtp-client." + timeout + "-timeout", "2s");
        }
        // Behind the final dot a shorter wait means copies (RFC 1047).
        settings = settings.set("smtp-client.final-reply-timeout", "10s");
        for (var peer : Peer.values()) {
            SINKS.put(peer, BENCH.keep(SmtpSink.start(peer.script())));
            settings = settings.route(peer.domain(), SINKS.get(peer));
        }
        parted = BENCH.smtpSink();
        expired = BENCH.keep(SmtpSink.start(SinkScript.smtp().startTls(TestCertificates.expired("127.0.0.1"))));
        verified = BENCH.keep(SmtpSink.start(SinkScript.smtp().startTls(TestCertificates.expired("127.0.0.1"))));
        server = BENCH.server(settings.route(PARTED, parted).route("expired.example", route(expired) + " tls=may")
                .route("verified.example", route(verified) + " tls=verify"));
    }

    /// Every peer has its mail in the queue before the first is checked, so that they wait side by
    /// side.
    @Test
    void everyRecipientIsAccountedForWithEachFaultOfAPeer() {
        var accounts = new EnumMap<Peer, MailAccount>(Peer.class);
        for (var peer : Peer.values()) {
            var account = MailAccount.of(peer.name(), SINKS.get(peer));
            accounts.put(peer, account);
            for (int i = 0; i < MESSAGES; i++) {
                account.send(server, peer.domain());
            }
        }
        accounts.forEach((peer, account) -> {
            if (peer == Peer.DISCARDS_A_PIPELINE) {
                // Such a host gets no mail until an operator acts; nothing is lost.
                account.balances(server, peer.mayRepeat);
            } else {
                account.ends(server, peer.mayRepeat);
            }
        });
        assertThat(SINKS.get(Peer.REFUSES_THE_CONTENT).messages()).as("two bounced, four delivered").hasSize(MESSAGES);
    }

    /// Packets to the peer vanish in the middle of its work, then pass again.
    @Test
    void aPartitionThatHeals() {
        var account = MailAccount.of("parted", parted);
        account.send(server, PARTED);
        eventually().until(() -> parted.messages().size() == 1);
        firewall("-I");
        try {
            for (int i = 0; i < MESSAGES; i++) {
                account.send(server, PARTED);
            }
            eventually().until(() -> server.log().lines().anyMatch(line -> line.contains("event=delivery")
                    && line.contains("parted-") && line.contains("result=deferred")));
            account.balances(server, 0);
        } finally {
            firewall("-D");
        }
        account.ends(server, 1);
    }

    private static String route(SmtpSink sink) {
        return "smtp:127.0.0.1:" + sink.port();
    }

    /// `tls=may` does not look at the certificate; `tls=verify` waits for a valid one.
    @Test
    void aCertificateOfThePeerThatHasExpired() {
        var account = MailAccount.of("certificate", expired, verified);
        for (int i = 0; i < MESSAGES; i++) {
            account.send(server, "expired.example");
            account.send(server, "verified.example");
        }
        eventually().until(() -> expired.messages().size() == MESSAGES);
        account.balances(server, 0);
        assertThat(verified.messages()).isEmpty();
    }

    private static void firewall(String operation) {
        ProgramRun.of("iptables", operation, "INPUT", "-i", "lo", "-p", "tcp", "--dport",
                String.valueOf(parted.port()), "-j", "DROP").mustSucceed();
    }

    /// An answer of the name server, and whether it is a reason to bounce.
    enum Answer {
        MISSING(true), NULL_MX(true), SERVFAIL(false), SILENT(false), ALIAS_LOOP(false), MX_IS_AN_ALIAS_LOOP(
                false), MX_IS_THIS_MACHINE(
                        false), HUGE(false), ANOTHER_ID(false), ANOTHER_QUESTION(false), ANOTHER_OWNER(true);

        private final boolean bounces;

        Answer(boolean bounces) {
            this.bounces = bounces;
        }

        String domain() {
            return "answer" + ordinal() + ".example";
        }

        /// The effect shows when the question has been asked in vain.
        boolean isForged() {
            return this == ANOTHER_ID || this == ANOTHER_QUESTION;
        }

        void teach() {
            switch (this) {
                case ANOTHER_ID -> dns.forges(domain(), StubDns.Forgery.ANOTHER_ID, THIEF);
                case ANOTHER_QUESTION -> dns.forges(domain(), StubDns.Forgery.ANOTHER_QUESTION, THIEF);
                case ANOTHER_OWNER -> dns.forges(domain(), StubDns.Forgery.ANOTHER_OWNER, THIEF);
                case MISSING -> {
                }
                case NULL_MX -> dns.mx(domain(), 0, ".");
                case SERVFAIL -> dns.fails(domain());
                case SILENT -> dns.isSilentAbout(domain());
                case ALIAS_LOOP -> dns.alias(domain(), "b." + domain()).alias("b." + domain(), domain());
                case MX_IS_AN_ALIAS_LOOP -> dns.mx(domain(), 10, "a." + domain())
                        .alias("a." + domain(), "b." + domain()).alias("b." + domain(), "a." + domain());
                case MX_IS_THIS_MACHINE -> dns.mx(domain(), 10, "mx." + domain()).address("mx." + domain(),
                        InetAddress.getLoopbackAddress());
                case HUGE -> {
                    for (int i = 0; i < 1_500; i++) {
                        dns.mx(domain(), i, "mx" + i + "." + domain());
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aNameServerThatMisleads(Answer answer) {
        var account = MailAccount.of("dns" + answer.ordinal());
        answer.teach();
        account.send(server, answer.domain());
        if (answer.bounces) {
            account.ends(server, 0);
        } else {
            eventually().until(() -> answer.isForged()
                    ? server.log().lines().anyMatch(line -> line.contains("event=delivery")
                            && line.contains("@" + answer.domain()) && line.contains("result=deferred"))
                    : dns.questions().stream().anyMatch(each -> each.startsWith(answer.domain())));
            account.balances(server, 0);
        }
        assertThat(thief.messages()).as("mail of forged answers")
                .noneMatch(mail -> mail.recipients().getFirst().endsWith(answer.domain()));
    }

    /// So the host of the forged answers is one that mail can reach.
    @Test
    void theHostOfForgedAnswersTakesMailThatIsItsOwn() {
        dns.mx("honest.example", 0, THIEF);
        var account = MailAccount.of("honest", thief);
        account.send(server, "honest.example");
        account.ends(server, 0);
        assertThat(thief.messages()).anyMatch(mail -> mail.recipients().getFirst().endsWith("@honest.example"));
    }

    /// Nothing listens at the address of the name server, until it is started.
    @Test
    void theNameServerIsGone() {
        var port = BENCH.keep(new UnusedPort());
        var alone = BENCH.server(Settings.quick().set("smtp-client.dns-servers", "127.0.0.1:" + port.port()));
        var account = MailAccount.of("gone", thief);
        for (int i = 0; i < MESSAGES; i++) {
            account.send(alone, "gone.example");
        }
        eventually().until(() -> alone.log().lines()
                .anyMatch(line -> line.contains("event=delivery") && line.contains("result=deferred")));
        account.balances(alone, 0);
        port.close();
        BENCH.keep(StubDns.at(port.port(), "gone IN MX 0 %1$s.\n%1$s. IN A %2$s".formatted(THIEF,
                THIEFS_PORT.getAddress().getHostAddress())));
        account.ends(alone, 0);
        assertThat(thief.messages()).filteredOn(mail -> mail.recipients().getFirst().endsWith("@gone.example"))
                .hasSize(MESSAGES);
    }
}
