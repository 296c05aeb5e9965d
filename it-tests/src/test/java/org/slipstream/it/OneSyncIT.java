package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.SystemCalls;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// The system calls for a single message: its 250 waits for one sync, of the log, and for no other.
///
/// Several messages come one after the other, because the index is written now and then, and such a
/// sync may coincide with one of them. A sync that a reply waits for is there each time.
@RequiresPrograms("strace")
class OneSyncIT {
    private static final int MESSAGES = 5;
    private static final String LOG = "fdatasync \\d+\\.segment";
    private static final Pattern BEGUN = Pattern
            .compile(
                    "^(\\d+) +(fdatasync|fsync|sync_file_range|msync|syncfs|sync)\\((?:\\d+<(?:[^>]*/)?([^/>]+)>)?.*$");
    private static final Pattern RESUMED = Pattern.compile("^(\\d+) +<\\.\\.\\. \\S*sync\\S* resumed>.*$");
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void aLoneMessageWaitsForOneSyncOfTheLog() {
        assertThat(syncsBeforeEach250(200)).allSatisfy(syncs -> assertThat(ofTheLog(syncs)).hasSize(1))
                .anySatisfy(syncs -> assertThat(syncs).hasSize(1));
    }

    /// The content of a large message is a file of its own: the file and its name are durable
    /// before the log refers to them.
    @Test
    void aLargeMessageWaitsForItsFileItsNameAndTheLog() {
        assertThat(syncsBeforeEach250(300_000)).allSatisfy(syncs -> assertThat(ofTheLog(syncs)).hasSize(1))
                .anySatisfy(syncs -> assertThat(syncs).hasSize(3).last().asString().matches(LOG));
    }

    private static Stream<String> ofTheLog(List<String> syncs) {
        return syncs.stream().filter(sync -> sync.matches(LOG));
    }

    /// Deliveries are off, so these messages alone use the disk. The first message creates the
    /// first segment, and is not watched.
    private List<List<String>> syncsBeforeEach250(int bytes) {
        var server = bench.server(Settings.quick().set("queue.deliver", "false"));
        send(server, bytes);
        assertThat(Queue.of(server).messages()).hasSize(1);
        try (var calls = bench.keep(SystemCalls.ofSyncsAndReplies(server))) {
            for (int i = 0; i < MESSAGES; i++) {
                send(server, bytes);
            }
            return eachTransaction(calls.lines()).map(OneSyncIT::syncs).toList();
        }
    }

    private static void send(PackagedServer server, int bytes) {
        var body = Bytes.ascii(("x".repeat(62) + "\r\n").repeat(bytes / 64));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("lone", "alice@here.example", List.of("friend@far.example"), body))
                    .code())
                    .isEqualTo(250);
        }
    }

    /// For each message the lines from the reply that asks for the content to the reply that
    /// acknowledges it.
    private static Stream<List<String>> eachTransaction(List<String> lines) {
        var from = indexes(lines, "\"354 ");
        var to = indexes(lines, "\"250 2.0.0 ");
        assertThat(to).as("transactions in\n" + String.join("\n", lines)).hasSize(MESSAGES).hasSameSizeAs(from);
        return IntStream.range(0, MESSAGES).mapToObj(i -> lines.subList(from.get(i), to.get(i)));
    }

    private static List<Integer> indexes(List<String> lines, String text) {
        return IntStream.range(0, lines.size()).filter(i -> lines.get(i).contains(text)).boxed().toList();
    }

    /// Each begun and ended between the lines, as `call file`, in order.
    private static List<String> syncs(List<String> lines) {
        var syncs = new ArrayList<String>();
        var underWay = new ArrayList<String>();
        for (var line : lines) {
            var begun = BEGUN.matcher(line);
            var resumed = RESUMED.matcher(line);
            if (begun.matches()) {
                syncs.add(begun.group(2) + " " + begun.group(3));
                if (line.contains("<unfinished ...>")) {
                    underWay.add(begun.group(1));
                }
            } else if (resumed.matches()) {
                underWay.remove(resumed.group(1));
            }
        }
        assertThat(underWay).as("syncs that still last when the reply is sent").isEmpty();
        return syncs;
    }
}
