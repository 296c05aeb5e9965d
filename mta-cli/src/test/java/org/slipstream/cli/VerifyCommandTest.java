package org.slipstream.cli;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.admin.operations.Operations.VerdictView;
import org.slipstream.cli.frame.Exit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// `mta verify`, over the socket, with a server whose answers are given.
class VerifyCommandTest {
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

    private void answers(String verdict, String host, String reply) {
        queue.verdict = Optional
                .of(new VerdictView("ann+list@far.example", verdict, "smtp/far.example", host, reply));
    }

    @Test
    void aResultIsShownWithRouteHostAndReply() {
        answers("deliverable", "mx.far.example[192.0.2.1]:25", "250 2.1.5 Ok");
        Console.Ran ran = console.run("verify", "ann+list@far.example");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out().lines()).containsExactly("address  ann+list@far.example", "verdict  deliverable",
                "route    smtp/far.example", "host     mx.far.example[192.0.2.1]:25", "reply    250 2.1.5 Ok");
        assertThat(queue.orders).containsExactly("verify ann+list@far.example");
        assertThat(console.run("verify", "ann+list@far.example", "--json").out())
                .contains("\"verdict\":\"deliverable\"");
    }

    @Test
    void anAddressThatIsRefusedOrOfWhichNothingIsKnownMakesTheAnswerNo() {
        answers("undeliverable", "mx.far.example[192.0.2.1]:25", "550 5.1.1 User unknown");
        assertThat(console.run("verify", "ann+list@far.example").exit()).isEqualTo(Exit.NO);
        answers("unknown", "", "450 4.4.1 connection refused");
        Console.Ran ran = console.run("verify", "ann+list@far.example");
        assertThat(ran.exit()).isEqualTo(Exit.NO);
        assertThat(ran.out()).contains("host     -", "450 4.4.1 connection refused");
    }

    @Test
    void aServerWithoutProbesSaysThatThereIsNoVerification() {
        Console.Ran ran = console.run("verify", "ann@far.example");
        assertThat(ran.exit()).isEqualTo(Exit.NO);
        assertThat(ran.err()).isEqualTo("mta: address verification is not available" + System.lineSeparator());
    }

    @Test
    void textThatIsNoAddressIsNotSentToTheServer() {
        Console.Ran ran = console.run("verify", "nobody");
        assertThat(ran.exit()).isEqualTo(Exit.USAGE);
        assertThat(ran.err()).contains("not an address: nobody");
        assertThat(queue.orders).isEmpty();
    }
}
