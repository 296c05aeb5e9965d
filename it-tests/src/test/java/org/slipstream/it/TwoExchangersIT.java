package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.MailAccount;
import org.slipstream.it.fixture.RequiresRoot;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.StubDns;
import org.slipstream.testkit.server.PackagedServer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Domains with two mail exchangers, of which the preferred one is always bad. DNS names no port,
/// so the hosts listen on port 25 of loopback addresses.
@RequiresRoot
class TwoExchangersIT {
    private static final int MESSAGES = 4;
    private static final int SMTP_PORT = 25;
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<First, SmtpSink> SECOND = new EnumMap<>(First.class);
    private static PackagedServer server;

    /// The fault of the preferred host.
    enum First {
        CLOSED_PORT, SILENT_AT_CONNECT, CLOSES_AT_CONNECT, NOT_NOW, NO_SERVICE, SILENT_AT_EHLO,
        // In the transaction.
        CLOSES_AT_MAIL, DEFERS_AT_MAIL, DEFERS_AT_RCPT, DEFERS_AT_THE_END, CLOSES_AT_DATA, SILENT_AT_DATA, REFUSES_AT_RCPT;

        String domain() {
            return "two" + ordinal() + ".example";
        }

        InetSocketAddress host(int number) {
            return new InetSocketAddress(InetAddress.ofLiteral("127.0.2" + number + "." + (10 + ordinal())),
                    SMTP_PORT);
        }

        /// Empty: nothing listens.
        private Optional<SinkScript> script() {
            return switch (this) {
                case CLOSED_PORT -> Optional.empty();
                case SILENT_AT_CONNECT -> script(SinkPhase.CONNECT, SinkAction.stall());
                case CLOSES_AT_CONNECT -> script(SinkPhase.CONNECT, SinkAction.close());
                case NOT_NOW -> script(SinkPhase.CONNECT, SinkAction.reply("421 4.3.2 not now").thenCloses());
                case NO_SERVICE -> script(SinkPhase.CONNECT, SinkAction.reply("554 5.3.2 no service").thenCloses());
                case SILENT_AT_EHLO -> script(SinkPhase.EHLO, SinkAction.stall());
                case CLOSES_AT_MAIL -> script(SinkPhase.MAIL, SinkAction.close());
                case DEFERS_AT_MAIL -> script(SinkPhase.MAIL, SinkAction.reply("451 4.3.0 later"));
                case DEFERS_AT_RCPT -> script(SinkPhase.RCPT, SinkAction.reply("450 4.2.1 later"));
                case DEFERS_AT_THE_END -> script(SinkPhase.FINAL_DOT, SinkAction.reply("452 4.3.1 disk is full"));
                case CLOSES_AT_DATA -> script(SinkPhase.DATA, SinkAction.close());
                case SILENT_AT_DATA -> script(SinkPhase.DATA, SinkAction.stall());
                case REFUSES_AT_RCPT -> script(SinkPhase.RCPT, SinkAction.reply("550 5.1.1 unknown"));
            };
        }

        private static Optional<SinkScript> script(SinkPhase phase, SinkAction action) {
            return Optional.of(SinkScript.smtp().on(phase, action));
        }
    }

    @BeforeAll
    static void start() {
        var dns = BENCH.keep(StubDns.start());
        var settings = Settings.quick().set("smtp-client.dns-servers", dns.address());
        for (var timeout : List.of("greeting", "command", "data-reply", "connect")) {
            settings = settings.set("smtp-client." + timeout + "-timeout", "6s");
        }
        for (var first : First.values()) {
            first.script().ifPresent(script -> BENCH.keep(SmtpSink.on(first.host(1), script)));
            SECOND.put(first, BENCH.keep(SmtpSink.on(first.host(2), SinkScript.smtp())));
            dns.mx(first.domain(), 10, "first." + first.domain()).mx(first.domain(), 20, "second." + first.domain())
                    .address("first." + first.domain(), first.host(1).getAddress())
                    .address("second." + first.domain(), first.host(2).getAddress());
        }
        server = BENCH.server(settings);
    }

    /// A fault of the host gives the mail to the second, and so does a host that defers all of it. A
    /// refusal of the recipient is final, and the second host has nothing.
    @Test
    @Tag("FI-21")
    void theSecondHostHasTheMailUnlessTheFirstRefusesTheRecipient() {
        var accounts = new EnumMap<First, MailAccount>(First.class);
        for (var first : First.values()) {
            var account = MailAccount.of("two" + first.ordinal(), SECOND.get(first));
            accounts.put(first, account);
            for (int i = 0; i < MESSAGES; i++) {
                account.send(server, first.domain());
            }
        }
        accounts.forEach((first, account) -> {
            account.ends(server, 0);
            assertThat(SECOND.get(first).messages()).as("%s", first)
                    .hasSize(first == First.REFUSES_AT_RCPT ? 0 : MESSAGES);
        });
    }
}
