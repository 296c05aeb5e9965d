package org.slipstream.it;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.MailAccount;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.FaultyLink;
import org.slipstream.testkit.FaultyLink.CommitCut;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;
import org.slipstream.testkit.server.TestPostgres;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `kill -9` while a server keeps mail because its database is gone, and at each step of the way back into the
/// database: the account balances.
class KeepHereIT {
    private static final int CANNOT_START = 5;
    /// Rounds with kills at random moments, in the long form.
    private static final int ROUNDS = Boolean.getBoolean("slipstream.long") ? 40 : 0;
    private static final SinkScript REFUSES = SinkScript.smtp().on(SinkPhase.MAIL, SinkAction.reply("451 4.3.2 Later"));

    @RegisterExtension
    final Workbench bench = new Workbench();

    /// A step of the way back. Everything stands still there, and the process is killed.
    ///
    /// @param statement with which a statement of the transaction begins
    private record Step(CommitCut moment, String statement) {}

    private static final List<Step> STEPS = List.of(
            // The start asks about moves that were cut off.
            new Step(CommitCut.BEFORE, "update shard set epoch = epoch where number = 1"),
            // The log takes the messages: the database does not get the deciding row, and it has it.
            new Step(CommitCut.BEFORE, "insert into moved"),
            new Step(CommitCut.AFTER, "insert into moved"),
            // The copies here are removed, and their rows are not forgotten yet.
            new Step(CommitCut.BEFORE, "delete from moved where id"));

    private EmbeddedPostgres postgres;
    private FaultyLink link;
    private SmtpSink far;
    private SmtpSink slow;
    private PackagedServer server;

    @BeforeEach
    void start() throws IOException {
        postgres = bench.keep(TestPostgres.start());
        link = bench.keep(new FaultyLink(postgres.getPort()));
        far = bench.keep(SmtpSink.start(REFUSES));
        slow = bench.keep(SmtpSink.start(SinkScript.smtp().on(SinkPhase.FINAL_DOT, SinkAction.usual().holds())));
        server = bench.server(settings(link.port()));
    }

    private Settings settings(int database) {
        return Settings.quick().set("spool.engine", "postgresql").set("spool.database-lost", "keep-here")
                .set("spool.database", url(database)).route("far.example", far).route("slow.example", slow);
    }

    private static String url(int database) {
        return "jdbc:postgresql://127.0.0.1:" + database + "/postgres?user=postgres";
    }

    /// New mail is kept on this server from now on.
    private void keeps() {
        long before = keepings();
        link.hold();
        eventually().until(() -> keepings() > before);
    }

    private long keepings() {
        return server.log().lines().filter(line -> line.contains("event=keeping-here ")).count();
    }

    private void die() {
        server.kill9();
        link.cut();
        link.heal();
    }

    private void dieAt(Step step) {
        link.holdAtCommit(step.moment(), step.statement());
        server.beginStart();
        eventually().until(link::isHeld);
        die();
    }

    private long rows() throws SQLException {
        try (var connection = postgres.getPostgresDatabase().getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery("select count(*) from slipstream.moved")) {
            row.next();
            return row.getLong(1);
        }
    }

    /// One story, because each start takes a while.
    @Test
    void mailThatIsKeptHereIsDeliveredOnceAlthoughTheServerIsKilledAtEachStepOfItsWayBack() throws Exception {
        MailAccount kept = MailAccount.of("kept", far);
        MailAccount underWay = MailAccount.of("under-way", slow);
        kept.send(server, "far.example");
        keeps();
        List.of(1, 2, 3).forEach(_ -> kept.send(server, "far.example"));
        underWay.send(server, "slow.example");
        eventually().until(() -> slow.commands().contains("DATA"));
        die();
        slow.follow(REFUSES);
        slow.release();

        // While the database is gone, a start ends with the reason.
        ProgramRun refused = Program.run(server.home(), Stream.concat(Stream.of("run"),
                settings(UnusedPort.now()).arguments().stream()).toArray(String[]::new));
        assertThat(refused.exit()).as(refused.err()).isEqualTo(CANNOT_START);
        assertThat(refused.err())
                .contains("the database jdbc:postgresql://127.0.0.1:", "Connection refused", "start it")
                .doesNotContain("\tat ");

        // Four are kept here, and one is in the database.
        Files.writeString(server.home().resolve("mta.toml"), "[spool]\nengine = \"postgresql\"\ndatabase = \""
                + url(link.port()) + "\"\n");
        assertThat(server.command("spool", "verify").mustSucceed().out()).contains(" 5 messages queued, 0 findings");

        for (Step step : STEPS) {
            dieAt(step);
        }
        server.startAgain();
        atRandom(kept);
        far.follow(SinkScript.smtp());
        slow.follow(SinkScript.smtp());
        kept.settles(server, 0);
        underWay.settles(server, 1);
        eventually().until(() -> rows() == 0);
        kept.send(server, "far.example");
        kept.settles(server, 0);
    }

    private void atRandom(MailAccount kept) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            System.out.println("seed " + seed + ", round " + round);
            keeps();
            kept.send(server, "far.example");
            die();
            for (int kill = 0; kill < 3; kill++) {
                server.dieWhileStarting(Duration.ofMillis(random.nextInt(4_000)), () -> {});
                link.cut();
            }
            server.startAgain();
        }
    }
}
