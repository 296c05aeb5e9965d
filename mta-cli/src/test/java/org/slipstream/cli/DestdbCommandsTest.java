package org.slipstream.cli;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.cli.frame.Exit;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/// The operator's commands about hosts against the real API.
class DestdbCommandsTest {
    @TempDir
    Path home;
    private final FakeHosts hosts = new FakeHosts();
    private AdminServer server;
    private Console console;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.bind(AdminSocket.in(home));
        server.serve(new FakeQueue(), hosts, new FakeSuspensions(), _ -> Optional.empty());
        console = new Console(home);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theListSaysWhyAHostIsLeftAlone() {
        Console.Ran ran = console.run("destdb", "list");
        assertThat(ran.exit()).isZero();
        List<String> lines = ran.out().lines().toList();
        assertThat(lines.get(0)).matches("HOST +STATE +FOR +CONNECTIONS +QUEUED +WHY");
        assertThat(lines.get(1)).matches("mx\\.far\\.example\\[192\\.0\\.2\\.1]:25/may +retry +in \\S+ +1 +3 +"
                + "failed: 421 4\\.3\\.2 \\?\\[2Jfull \\(2 times\\)");
        String shown = lines.get(1).substring(0, lines.get(1).indexOf(' '));
        assertThat(console.run("destdb", "show", shown).out()).as("as it is listed").contains(shown);
        assertThat(JsonMapper.shared().readTree(console.run("destdb", "list", "--json").out()).get("workers").asInt())
                .isEqualTo(100);
    }

    @Test
    void aHostIsShownWithItsConnections() {
        Console.Ran ran = console.run("destdb", "show", "mx.far.example");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains(FakeHosts.KEY, "retry", "CONNECTION", "smtp/far.example")
                .doesNotContain("\u001b");
    }

    @Test
    void anUnknownHostIsAnsweredWithNoAndAHint() {
        Console.Ran ran = console.run("destdb", "show", "mx.nowhere.example");
        assertThat(ran.exit()).isEqualTo(Exit.NO);
        assertThat(ran.err()).contains("nothing is known about mx.nowhere.example").contains("mta destdb list");
        assertThat(console.run("destdb", "resume", "mx.far.example").exit()).isEqualTo(Exit.NO);
    }

    @Test
    void aSuspensionHasReasonAuthorAndEnd() {
        Console.Ran ran = console.run("destdb", "suspend", "mx.far.example", "--reason", "their disk & mine",
                "--author", "ann", "--for", "2h");
        assertThat(ran.exit()).as(ran.err()).isZero();
        assertThat(ran.out()).isEqualTo("suspended " + FakeHosts.KEY + System.lineSeparator());
        var state = hosts.states.get("suspended");
        assertThat(state.reason()).isEqualTo("their disk & mine");
        assertThat(state.author()).isEqualTo("ann");
        assertThat(Instant.parse(state.until())).isCloseTo(Instant.now().plusSeconds(7200),
                within(60, java.time.temporal.ChronoUnit.SECONDS));
        assertThat(console.run("destdb", "list").out()).contains("their disk & mine (ann)");
        assertThat(console.run("destdb", "resume", "192.0.2.1").exit()).isZero();
        assertThat(hosts.states).doesNotContainKey("suspended");
    }

    @Test
    void withoutAnEndItHoldsUntilItIsResumed() {
        console.run("destdb", "suspend", FakeHosts.KEY, "--reason", "asked by them");
        assertThat(hosts.states.get("suspended").until()).isEmpty();
        assertThat(console.run("destdb", "list").out()).containsPattern("suspended +ever");
    }

    @Test
    void aSuspensionThatMakesNoSenseIsRefused() {
        assertThat(console.run("destdb", "suspend", "mx.far.example").exit()).isEqualTo(Exit.USAGE);
        assertThat(console.run("destdb", "suspend", "mx.far.example", "--reason", "x", "--for", "soon").err())
                .contains("--for must be a time such as 30m, 2h or 1d, not \"soon\"");
        assertThat(
                console.run("destdb", "suspend", "mx.far.example", "--reason", "x", "--until", "2001-01-01T00:00:00Z")
                        .err())
                .contains("--until is in the past");
        assertThat(console.run("destdb", "suspend", "mx.far.example", "--reason", "x", "--for", "1h", "--until",
                "2101-01-01T00:00:00Z").err()).contains("not both");
        assertThat(hosts.states).doesNotContainKey("suspended");
    }

    @Test
    void aDomainThatIsNoHostIsRefusedWithTheCommandForDomains() {
        Console.Ran ran = console.run("destdb", "suspend", "far.example", "--reason", "their disk is full");
        assertThat(ran.exit()).isEqualTo(Exit.NO);
        assertThat(ran.err()).contains("no known host has this name", "mta suspend domain far.example");
        assertThat(console.run("destdb", "resume", "far.example").err()).contains("mta suspend list");
    }

    @Test
    void forgottenHostsAreNoLongerListed() {
        assertThat(console.run("destdb", "forget", "mx.far.example").out()).startsWith("forgotten");
        assertThat(console.run("destdb", "list").out())
                .isEqualTo("no host is known" + System.lineSeparator());
    }
}
