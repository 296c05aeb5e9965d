package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.MailAccount;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.SteppedClock;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.PackagedServer;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The wall clock is stepped below a running server: mail that waits is tried within the usual time,
/// sessions and connections go on, and nothing expires, is lost or is sent twice.
@RequiresPrograms("faketime")
class ClockIT {
    private static final int MESSAGES = 5;
    private static final String NEAR = "near.example";
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<Step, UnusedPort> LATER = new EnumMap<>(Step.class);
    private static SteppedClock clock;
    private static SmtpSink near;
    private static PackagedServer server;

    /// Together the steps give no difference, so their order does not matter.
    enum Step {
        AN_HOUR_FORWARD(Duration.ofHours(1)), AN_HOUR_BACK(Duration.ofHours(-1)), A_DAY_FORWARD(
                Duration.ofDays(1)), A_DAY_BACK(Duration.ofDays(-1)), A_DAY_FORWARD_AND_KILLED(
                        Duration.ofDays(1)), A_DAY_BACK_AND_KILLED(Duration.ofDays(-1));

        private final Duration by;

        Step(Duration by) {
            this.by = by;
        }

        boolean isKilled() {
            return this == A_DAY_FORWARD_AND_KILLED || this == A_DAY_BACK_AND_KILLED;
        }

        String domain() {
            return "later" + ordinal() + ".example";
        }
    }

    @BeforeAll
    static void start() {
        clock = new SteppedClock(BENCH.folder());
        near = BENCH.smtpSink();
        var settings = Settings.quick().route(NEAR, near);
        for (var step : Step.values()) {
            var port = BENCH.keep(new UnusedPort());
            LATER.put(step, port);
            settings = settings.route(step.domain(), "smtp:127.0.0.1:" + port.port());
        }
        server = BENCH.server(settings, clock.launch());
    }

    @ParameterizedTest
    @EnumSource
    void mailFlowsOnAfterAStep(Step step) {
        var account = MailAccount.of(step.name(), near);
        try (var session = SmtpTalker.introducedTo(server.smtp())) {
            sends(account, step);
            var waiting = account.send(server, step.domain()).recipients().getFirst();
            eventually().until(() -> server.log().lines()
                    .anyMatch(line -> line.contains(waiting) && line.contains("result=deferred")));
            clock.step(step.by);
            if (step.isKilled()) {
                server.kill9();
                server.startAgain();
            } else {
                assertThat(account.offer(session, account.message(NEAR, 1, 1)).code()).as("a session goes on")
                        .isEqualTo(250);
            }
            sends(account, step);
        }
        var later = laterSink(step);
        account.with(() -> later.messages().stream().flatMap(mail -> mail.recipients().stream())).ends(server,
                step.isKilled() ? MESSAGES : 0);
        var logged = Instant.parse(server.log().lines().toList().getLast().split(" ", 2)[0]);
        assertThat(logged).as("the server has the stepped clock").isCloseTo(clock.now(), within(5, ChronoUnit.MINUTES));
        assertThat(later.messages()).as("none returned").hasSize(2 * MESSAGES + 1);
    }

    private static SmtpSink laterSink(Step step) {
        var port = LATER.get(step);
        port.close();
        return BENCH.keep(SmtpSink.on(new InetSocketAddress("127.0.0.1", port.port()), SinkScript.smtp()));
    }

    private static void sends(MailAccount account, Step step) {
        for (int i = 0; i < MESSAGES; i++) {
            account.send(server, NEAR);
            account.send(server, step.domain());
        }
    }
}
