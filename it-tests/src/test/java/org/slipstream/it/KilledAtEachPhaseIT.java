package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.DiskTrouble;
import org.slipstream.it.fixture.MailAccount;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.StubDns;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `kill -9` in each phase of a message's way, and a start in the same home: the account balances.
/// [CrashIT] kills at random moments under load; here each phase is reached for certain.
@RequiresPrograms("strace")
class KilledAtEachPhaseIT {
    private static final int LARGE = 8 * 1024 * 1024;
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<Out, SmtpSink> SINKS = new EnumMap<>(Out.class);
    private static StubDns dns;
    private static PackagedServer server;

    /// The last command of the client before the server dies.
    enum In {
        CONNECT, MAIL, RCPT, HALF_THE_CONTENT
    }

    /// The state of the delivery when the server dies.
    enum Out {
        CONNECT(0), MAIL(0), RCPT(0), HALF_THE_CONTENT(0),
        /// The far side has the whole message and has not answered.
        BEFORE_THE_REPLY(1),
        /// The far side has answered, and the outcome is recorded or not.
        OUTCOME_RECORD(1), BOUNCE(0);

        private final int mayRepeat;

        Out(int mayRepeat) {
            this.mayRepeat = mayRepeat;
        }

        String domain() {
            return "phase" + ordinal() + ".example";
        }

        SinkScript script() {
            var hold = SinkAction.usual().holds();
            var script = SinkScript.smtp();
            return switch (this) {
                case OUTCOME_RECORD -> script;
                case CONNECT -> script.on(SinkPhase.CONNECT, hold);
                case MAIL -> script.on(SinkPhase.MAIL, hold);
                case RCPT -> script.on(SinkPhase.RCPT, hold);
                case HALF_THE_CONTENT -> script.on(SinkPhase.DATA, SinkAction.usual().thenStalls().applies(1));
                case BEFORE_THE_REPLY -> script.on(SinkPhase.FINAL_DOT, hold);
                case BOUNCE -> script.on(SinkPhase.RCPT, SinkAction.reply("550 5.1.1 no such user"));
            };
        }

        boolean isReached() {
            var sink = SINKS.get(this);
            return switch (this) {
                case CONNECT -> sink.connections() > 0;
                case MAIL -> isSent(sink, "MAIL");
                case RCPT, BOUNCE -> isSent(sink, "RCPT");
                case HALF_THE_CONTENT, BEFORE_THE_REPLY -> isSent(sink, "DATA");
                case OUTCOME_RECORD -> !sink.messages().isEmpty();
            };
        }

        private static boolean isSent(SmtpSink sink, String command) {
            return sink.commands().stream().anyMatch(line -> line.startsWith(command));
        }
    }

    @BeforeAll
    static void start() {
        dns = BENCH.keep(StubDns.start());
        var settings = Settings.quick().set("smtp-client.dns-servers", dns.address());
        for (var phase : Out.values()) {
            SINKS.put(phase, BENCH.keep(SmtpSink.start(phase.script())));
            settings = settings.route(phase.domain(), SINKS.get(phase));
        }
        server = BENCH.server(settings);
    }

    /// A message without the final dot never existed, and the one before it is safe.
    @ParameterizedTest
    @EnumSource
    void aClientInTheMiddleOfASession(In phase) {
        var account = MailAccount.of("in" + phase.ordinal());
        account.send(server, "here.example");
        var cut = account.message("here.example", 1, LARGE);
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            if (phase != In.CONNECT) {
                talk.must(250, "MAIL FROM:<" + cut.sender() + ">");
            }
            if (phase.compareTo(In.RCPT) >= 0) {
                talk.must(250, "RCPT TO:<" + cut.recipients().getFirst() + ">");
            }
            if (phase == In.HALF_THE_CONTENT) {
                talk.must(354, "DATA");
                talk.send(new String(cut.content(), 0, LARGE / 2, StandardCharsets.US_ASCII));
            }
            dieAndStart();
        }
        account.settles(server, 0);
        assertThat(server.mail().count(cut.recipients().getFirst())).isZero();
    }

    /// The sync takes long, and the server dies in it: the client has no 250, and the message may
    /// arrive, but only once.
    @Test
    void afterTheFinalDotAndBeforeThe250() {
        var account = MailAccount.of("undecided");
        account.send(server, "here.example");
        var undecided = account.message("here.example", 1, 1);
        try (var talk = SmtpTalker.introducedTo(server.smtp());
                var _ = DiskTrouble.syncsTake(Duration.ofSeconds(20), server)) {
            talk.must(250, "MAIL FROM:<" + undecided.sender() + ">");
            talk.must(250, "RCPT TO:<" + undecided.recipients().getFirst() + ">");
            talk.must(354, "DATA");
            talk.send(new String(undecided.content(), StandardCharsets.US_ASCII) + ".\r\n");
            server.kill9();
            assertThat(talk.replyOrNothing()).isEmpty();
        }
        server.startAgain();
        account.settles(server, 0);
        assertThat(server.mail().count(undecided.recipients().getFirst())).isLessThanOrEqualTo(1);
    }

    @Test
    void rightAfterThe250() {
        var account = MailAccount.of("promised");
        account.send(server, account.message("here.example", 3, 1));
        dieAndStart();
        account.settles(server, 0);
    }

    @Test
    void whileItWritesToAMailbox() {
        var account = MailAccount.of("filing");
        var large = account.send(server, account.message("here.example", 1, LARGE));
        eventually().until(() -> server.mail().unfinished(large.recipients().getFirst())
                + server.mail().count(large.recipients().getFirst()) > 0);
        dieAndStart();
        account.settles(server, 1);
    }

    @Test
    void whileItLooksUpTheRoute() {
        var account = MailAccount.of("asking");
        dns.isSilentAbout("asked.example");
        account.send(server, "asked.example");
        eventually().until(() -> dns.questions().stream().anyMatch(each -> each.startsWith("asked.example")));
        server.kill9();
        dns.mx("asked.example", 0, ".").recovers("asked.example");
        server.startAgain();
        account.settles(server, 0);
    }

    @ParameterizedTest
    @EnumSource
    void inTheMiddleOfADelivery(Out phase) {
        var sink = SINKS.get(phase);
        var account = MailAccount.of("out" + phase.ordinal(), sink);
        account.send(server, account.message(phase.domain(), 1, phase == Out.HALF_THE_CONTENT ? LARGE : 1));
        eventually().pollInterval(Duration.ofMillis(2)).until(phase::isReached);
        server.kill9();
        sink.release();
        server.startAgain();
        account.settles(server, phase.mayRepeat);
    }

    private static void dieAndStart() {
        server.kill9();
        server.startAgain();
    }
}
