package org.slipstream.it;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresRoot;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.TinyDisk;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.Maildirs;
import org.slipstream.testkit.server.PackagedServer;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A full disk is this server's failure and not the sender's: the reply is 452, acknowledged mail
/// is kept, no bounce is sent, and the server recovers by itself when there is space again
/// (limits.md, promise 5).
@RequiresRoot
class DiskFullIT {
    private static final int ENOUGH_MESSAGES = 3_000;
    private static final int MESSAGES_OF_TWO_SHARDS = 200;
    @RegisterExtension
    final Workbench bench = new Workbench();
    private final List<String> acknowledged = new ArrayList<>();

    @Test
    @Tag("PF-16")
    void mailIsDeferredBeforeTheDiskIsFullAndAcceptedWhenThereIsSpace() {
        var far = bench.smtpSink();
        var disk = disk("size=64m");
        var server = bench.server(settings(far).set("spool.directory", disk.folder().toString()));
        send(server, "before");
        // The limit is 5 % of this disk.
        disk.fillUpTo(1 << 20);
        eventually().untilAsserted(() -> assertThat(send(server, "full").toString()).startsWith("452 4.3.1"));
        disk.free();
        eventually().untilAsserted(() -> assertThat(send(server, "after").code()).isEqualTo(250));
        allAcknowledgedArrives(server, far);
    }

    @Test
    void aDiskThatIsFullToTheLastByteLosesNothing() {
        var far = bench.smtpSink();
        far.stop();
        var disk = disk("size=64m");
        var server = bench.server(settings(far).set("spool.directory", disk.folder().toString())
                .set("spool.minimum-free", "1"));
        send(server, "before");
        disk.fillUpTo(0);
        sendUntilPutOff(server);
        assertThat(server.isAlive()).isTrue();
        disk.free();
        eventually().untilAsserted(() -> assertThat(send(server, "after").code()).isEqualTo(250));
        far.startAgain();
        allAcknowledgedArrives(server, far);
        assertThat(server.mail().count("alice@here.example")).as("no bounce for our own trouble").isZero();
    }

    /// Only deliveries give space back, so neither the start nor a delivery may need space.
    @Test
    void aServerThatWasKilledOnAFullDiskStartsAndDelivers() {
        var far = bench.smtpSink();
        far.stop();
        var disk = disk("size=64m");
        var server = bench.server(settings(far).set("spool.directory", disk.folder().toString())
                .set("spool.minimum-free", "1").set("concurrency.transport-retry", "1s"));
        send(server, "before");
        disk.fillUpTo(0);
        sendUntilPutOff(server);
        server.kill9();
        disk.fillUpTo(0);
        far.startAgain();
        server.startAgain();
        eventually().until(() -> server.log().contains("event=index-not-made"));
        assertThat(send(server, "full").toString()).startsWith("452 4.3.1");
        allAcknowledgedArrives(server, far);
        disk.free();
        eventually().untilAsserted(() -> assertThat(send(server, "after").code()).isEqualTo(250));
        allAcknowledgedArrives(server, far);
    }

    /// Each move ends with a removal in the log of the full disk.
    @Test
    void aShardOnAFullDiskIsDrainedThoughTheServerIsKilled() {
        var far = bench.smtpSink();
        far.stop();
        var disk = disk("size=16m");
        var server = bench.server(settings(far).set("shard.count", "2").set("shard.folders", disk.folder().toString())
                .set("shard.interval", "1s").set("spool.minimum-free", "1"));
        for (int i = 0; i < MESSAGES_OF_TWO_SHARDS; i++) {
            assertThat(send(server, "drain" + i).code()).isEqualTo(250);
        }
        disk.fillUpTo(0);
        server.command("shard", "drain", "2").mustSucceed();
        eventually().until(() -> server.log().contains("event=message-moved"));
        server.kill9();
        server.startAgain();
        eventually().untilAsserted(() -> assertThat(shard(server, 2)).contains("closed"));
        assertThat(Queue.of(server).size()).isEqualTo(MESSAGES_OF_TWO_SHARDS);
        far.startAgain();
        allAcknowledgedArrives(server, far);
        assertThat(far.messages().stream().map(ReceivedMessage::id)).doesNotHaveDuplicates();
    }

    /// A new shard cannot make its files; the other disk has space.
    @Test
    void aShardWithoutSpaceForItsFilesWaitsAndTheOtherServes() {
        var far = bench.smtpSink();
        var disk = disk("size=1m");
        disk.fillUpTo(0);
        var server = bench.server(settings(far).set("shard.count", "2").set("shard.folders", disk.folder().toString())
                .set("spool.minimum-free", "1"));
        assertThat(shard(server, 2)).contains("no-space");
        assertThat(server.command("status").out()).contains("shard 2");
        assertThat(send(server, "first").code()).isEqualTo(250);
        eventually().until(() -> far.messages().size() == 1);
        assertThat(server.command("shard", "enable", "2").exit()).isNotZero();
        disk.free();
        server.command("shard", "enable", "2").mustSucceed();
        assertThat(shard(server, 2)).contains("running");
    }

    private static String shard(PackagedServer server, int number) {
        return server.command("shard", "list").out().lines().filter(line -> line.startsWith(number + " ")).findFirst()
                .orElse("");
    }

    @Test
    void aFullMailboxDiskPutsMailOff() {
        var disk = disk("size=16m");
        var server = bench.server(Settings.quick().set("local.maildir", disk.folder().toString())
                .set("concurrency.transport-retry", "1s"));
        disk.fillUpTo(0);
        var outgoing = OutgoingMessage.of("mailbox@x", "alice@here.example", List.of("bob@here.example"),
                Bytes.ascii(("x".repeat(70) + "\r\n").repeat(1_000)));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).singleElement()
                .satisfies(message -> assertThat(message.path("why").asString())
                        .contains("mailbox disk is full")));
        assertThat(Queue.of(server).messages().getFirst().path("attempts").asInt()).as("nobody was asked").isZero();
        disk.free();
        var mail = new Maildirs(disk.folder());
        eventually().untilAsserted(() -> assertThat(mail.count("bob@here.example")).isEqualTo(1));
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(mail.unfinished("bob@here.example")).isZero();
        assertThat(mail.count("alice@here.example")).isZero();
    }

    @Test
    void aDiskThatCannotBeWrittenIsOneSentence() {
        var disk = disk("size=1m,ro");
        var arguments = new ArrayList<>(List.of("run"));
        arguments
                .addAll(Settings.quick().set("spool.directory", disk.folder().resolve("spool").toString()).arguments());
        var ran = Program.run(bench.home(), arguments.toArray(String[]::new));
        assertThat(ran.exit()).as(ran.err()).isEqualTo(5);
        assertThat(ran.err()).contains(disk.folder().toString()).doesNotContain("\tat ");
    }

    private static Settings settings(SmtpSink far) {
        return Settings.quick().route("far.example", far).set("spool.segment-size", "1MiB");
    }

    private TinyDisk disk(String options) {
        return bench.keep(TinyDisk.mount(bench.folder(), options));
    }

    private void sendUntilPutOff(PackagedServer server) {
        for (int i = 0; i < ENOUGH_MESSAGES; i++) {
            var answer = send(server, "load" + i);
            if (answer.code() != 250) {
                assertThat(answer.toString()).startsWith("452 4.3.1");
                return;
            }
        }
        throw new AssertionError("a full disk took " + ENOUGH_MESSAGES + " messages");
    }

    private SmtpReply send(PackagedServer server, String name) {
        var outgoing = OutgoingMessage.of(name + "@client.example", "alice@here.example", List.of("friend@far.example"),
                Bytes.ascii(("Disk full. " + "x".repeat(60) + "\r\n").repeat(60)));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            var answer = talk.send(outgoing);
            if (answer.code() == 250) {
                acknowledged.add(outgoing.id());
            }
            return answer;
        }
    }

    private void allAcknowledgedArrives(PackagedServer server, SmtpSink far) {
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(acknowledged).isNotEmpty();
        assertThat(far.messages().stream().map(ReceivedMessage::id)).containsAll(Set.copyOf(acknowledged));
    }
}
