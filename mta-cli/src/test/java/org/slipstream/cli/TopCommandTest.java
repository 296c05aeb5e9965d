package org.slipstream.cli;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.admin.operations.Operations.ConnectionsView;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.shard.TopFrame;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// `top` against the real API.
class TopCommandTest {
    @TempDir
    Path home;
    private final FakeQueue queue = new FakeQueue();
    private AdminServer server;
    private Console console;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.bind(AdminSocket.in(home));
        server.serve(queue, new FakeHosts(), new FakeSuspensions(), _ -> Optional.empty());
        console = new Console(home);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /// The load at this second of a minute.
    private static Activity activity(int second, long received, long delivered) {
        return activity(second, received, delivered, List.of());
    }

    static Activity activity(int second, long received, long delivered, List<SuspensionView> suspensions) {
        return new Activity("2026-11-22T03:00:%02dZ".formatted(second), "mail.example.org", "2026-11-22T00:00:00Z",
                Optional.of(1_523L), Optional.of(4L), 212, new ConnectionsView(100, 31, 2, 5, 75),
                Map.of("mtaReceivedMessages", received, "mtaTransmittedRecipients", delivered, "mtaDeferredRecipients",
                        60L, "mtaFailedRecipients", 3L),
                suspensions,
                List.of(new BusyDestination("smtp", "bulk.example", "live", "", 20, 20, 20, 20, 180,
                        "2026-11-22T02:41:00Z", "", ""),
                        new BusyDestination("smtp", "down.example", "dead", "2026-11-22T03:04:00Z", 0, 20, 0, 0, 0, "",
                                "450 4.4.1 Connection refused", "2026-11-22T02:59:00Z"),
                        new BusyDestination("", "grey.example", "idle", "", 0, 0, 0, 0, 0, "",
                                "450 4.7.1 greylisted", "2026-11-22T02:55:00Z")),
                List.of(), 0, List.of());
    }

    @Test
    void aTroubleStandsAboveTheDestinations() {
        queue.activity.add(activity(0, 1, 1).withTroubles(List.of(new TroubleView("shards", "",
                "new mail is refused with 451", "no shard takes mail"))));
        assertThat(console.run("top", "--once").out())
                .contains("TROUBLE   shards: new mail is refused with 451; no shard takes mail");
    }

    @Test
    void aFrameHasTheTotalsAndTheBusiestDestinations() {
        queue.activity.add(activity(0, 10_800, 21_600));
        Console.Ran ran = console.run("top", "--once");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).isEqualTo("""
                mail.example.org  2026-11-22 03:00:00 UTC, up 3h
                queue     1523: active 212, deferred 1307, held 4; connections 31 of 100
                rates     in 1.0/s, out 2.0/s, deferred 0.0/s, failed 0.0/s

                DESTINATION   STATE    WINDOW  CONN  RUN  WAIT  OLDEST  LAST ERROR
                bulk.example  live     20/20   20    20   180   19m     -
                down.example  dead 4m  0/20    0     0    0     -       1m ago: 450 4.4.1 Connection refused
                grey.example  idle     -       0     0    0     -       5m ago: 450 4.7.1 greylisted
                """);
    }

    @Test
    void theSecondFrameHasTheRatesSinceTheFirstAndTheCountEndsIt() {
        queue.activity.add(activity(0, 100, 100));
        queue.activity.add(activity(2, 110, 130));
        Console.Ran ran = console.run("top", "--interval", "1", "--count", "2", "--rows", "1");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains("in 5.0/s, out 15.0/s", "2 more").doesNotContain("down.example", "\033");
        assertThat(ran.out().lines().filter(line -> line.startsWith("mail.example.org"))).hasSize(2);
    }

    @Test
    void aFrozenServerSaysSo() {
        queue.activity
                .add(activity(0, 1, 1, List.of(new SuspensionView("everything", "", "disk change", "kim", "", ""))));
        assertThat(console.run("top", "--once").out()).contains("\nfrozen    by kim: disk change\n");
        queue.activity
                .add(activity(0, 1, 1, List.of(new SuspensionView("destination", "x.example", "x", "kim", "", ""))));
        assertThat(console.run("top", "--once").out()).contains("\nsuspended 1; mta suspend list\n");
    }

    @Test
    void aFrameFitsTheTerminal() {
        assertThat(new TopFrame(activity(0, 1, 1), Optional.empty()).lines(3, 40))
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(40));
    }

    @Test
    void theFrameIsJsonForScripts() {
        queue.activity.add(activity(0, 7, 8));
        assertThat(console.run("top", "--once", "--json").out()).startsWith("{").contains("\"mtaReceivedMessages\":7");
    }

    @Test
    void impossibleIntervalsAreWrongUsage() {
        assertThat(console.run("top", "--interval", "0").exit()).isEqualTo(Exit.USAGE);
        assertThat(console.run("top", "--count", "-1").exit()).isEqualTo(Exit.USAGE);
    }

    @Test
    void withoutAServerTheCommandSaysSo() {
        server.close();
        assertThat(console.run("top", "--once").exit()).isEqualTo(Exit.UNREACHABLE);
    }

    @Test
    void theMetricsAreTextForPrometheus() {
        Console.Ran ran = console.run("status", "--metrics");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).isEmpty();
    }
}
