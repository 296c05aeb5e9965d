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
import org.slipstream.cli.frame.Exit;
import org.slipstream.core.order.Right;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.guard.login.TokenFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/// `suspend`, `resume`, `freeze`, `thaw` and `token` against the real API.
class SuspendCommandsTest {
    @TempDir
    Path home;
    private final FakeSuspensions suspensions = new FakeSuspensions();
    private AdminServer server;
    private Console console;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.bind(AdminSocket.in(home));
        server.openToGroup(home.resolve("group.sock"));
        server.serve(new FakeQueue(), new FakeHosts(), suspensions, TokenFile.in(home));
        console = new Console(home);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aDestinationIsSuspendedForATimeListedAndResumed() {
        assertThat(console.run("suspend", "list").out()).contains("nothing is suspended");
        Console.Ran ran = console.run("suspend", "destination", "Far.example", "--reason", "their disk is full",
                "--author", "ann", "--until", "2h");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains("suspended destination far.example");
        Suspension one = suspensions.current.getFirst();
        assertThat(Instant.ofEpochMilli(one.untilMillis()))
                .isCloseTo(Instant.now().plusSeconds(7200), within(1, ChronoUnit.MINUTES));
        assertThat(console.run("suspend", "list").out()).contains("destination", "far.example", "ann",
                "their disk is full");
        assertThat(console.run("resume", "domain", "far.example").out()).contains("resumed domain far.example");
        assertThat(console.run("resume", "domain", "far.example").exit()).isEqualTo(Exit.NO);
    }

    @Test
    void aProviderIsSuspendedLimitedAndListed() {
        Console.Ran ran = console.run("suspend", "provider", "Google", "--reason", "they block us", "--author", "ann");
        assertThat(ran.out()).contains("suspended provider google");
        assertThat(suspensions.current.getFirst().scope()).isEqualTo(SuspensionScope.PROVIDER);
        assertThat(console.run("resume", "provider", "google").exit()).isZero();
        assertThat(console.run("limit", "provider:google", "20", "--author", "ann").exit()).isZero();
        assertThat(console.run("limit", "provider-rate:google", "100/1h", "--author", "ann").exit()).isZero();
        assertThat(console.run("limit", "provider-rate:google", "100", "--author", "ann").err())
                .contains("a rate is a number in a time");
        assertThat(console.run("limit", "provider-rate:google", "default", "--author", "ann").exit()).isZero();

        assertThat(console.run("provider", "list").out()).contains("PROVIDER", "google", "383", "12", "7 of 20",
                "40 of 100/1h").doesNotContain(".google.com");
        assertThat(console.run("provider", "list", "--all").out()).contains(".google.com");
        assertThat(console.run("queue", "list", "--provider", "Not a name").err())
                .contains("is not the name of a provider; mta provider list shows them");
    }

    @Test
    void aWrongOrderNamesTheWayOut() {
        assertThat(console.run("suspend").err()).contains("missing parameters: KIND NAME");
        assertThat(console.run("suspend", "domain", "x.example").err()).contains("--reason TEXT");
        assertThat(console.run("suspend", "country", "x", "--reason", "y").err())
                .contains("the kinds are destination, domain, provider, sender, transport, host");
        assertThat(console.run("suspend", "host", "mx.nowhere.example", "--reason", "x").err())
                .contains("mta suspend domain mx.nowhere.example suspends");
        assertThat(suspensions.current).isEmpty();
    }

    @Test
    void anInvisibleCharacterIsRefusedBeforeTheServerIsAsked() {
        server.close();
        for (String reason : List.of("closed\nwrite to bob", "a\u202eb", "a\u2028b", "\u001b[2J")) {
            Console.Ran ran = console.run("freeze", "--reason", reason);
            assertThat(ran.exit()).isEqualTo(Exit.USAGE);
            assertThat(ran.err()).contains("has an invisible character (U+").doesNotContain("no server is running");
            assertThat(console.run("queue", "bounce", "1p4q0c8k2v0", "--reason", reason).exit()).isEqualTo(Exit.USAGE);
            assertThat(console.run("suspend", "sender", "a@b.example", "--reason", "x", "--author", reason).exit())
                    .isEqualTo(Exit.USAGE);
        }
        assertThat(suspensions.current).isEmpty();
    }

    @Test
    @Tag("ZM-25")
    void deliveriesAreFrozenAndThawed() {
        assertThat(console.run("freeze", "--reason", "maintenance", "--for", "30m").exit()).isZero();
        assertThat(suspensions.current).singleElement()
                .satisfies(each -> assertThat(each.text()).startsWith("all deliveries are frozen by "));
        assertThat(console.run("thaw").out()).contains("deliveries start again");
        assertThat(console.run("thaw").exit()).isEqualTo(Exit.NO);
    }

    @Test
    @Tag("ZM-46")
    void aTokenHasItsRightsUntilItIsRemoved() throws IOException {
        Path file = home.resolve("monitor.token");
        Files.writeString(file, console.run("token", "add", "monitor", "--rights", "read").out());
        assertThat(console.run("token", "list").out()).contains("monitor", "read");
        assertThat(Files.readString(home.resolve("api-tokens"))).doesNotContain(Files.readString(file).strip());
        String socket = home.resolve("group.sock").toString();
        assertThat(console.run("status", "--socket", socket).err()).contains("this socket needs a token");
        assertThat(console.run("status", "--socket", socket, "--token-file", file.toString()).exit()).isZero();
        assertThat(console.run("thaw", "--token-file", file.toString()).err())
                .contains("monitor has the right to read, and POST thaw requires the right to administrate");
        assertThat(console.run("token", "add", "monitor", "--rights", "operate").exit()).isEqualTo(Exit.NO);
        assertThat(console.run("token", "add", "x", "--rights", "all").exit()).isEqualTo(Exit.USAGE);
        assertThat(console.run("token", "remove", "monitor").exit()).isZero();
        assertThat(console.run("status", "--token-file", file.toString()).err()).contains("no such token");
        assertThat(Right.OPERATE.includes(Right.READ)).isTrue();
    }
}
