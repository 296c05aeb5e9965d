package org.slipstream.spool.history;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.DataSize;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.TraceEvent;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/// The history keeps the events of messages within its bounds, and finds them by id, Message-ID and
/// address.
class HistoryTest {
    private static final Instant START = Instant.parse("2026-11-21T10:00:00Z");
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final HistorySettings DAY = new HistorySettings(Duration.ofDays(1), DataSize.ofMebibytes(1));
    private static final String HOSTILE = "\"}\n{\\\u0000\u2028";

    @TempDir
    Path spool;
    private long now = START.toEpochMilli();
    private long lastId;

    private Path folder() {
        return History.folder(spool);
    }

    private History open(HistorySettings settings) {
        return History.open(folder(), settings, () -> now);
    }

    private TraceResult find(String wanted, int limit) throws IOException {
        return HistorySearch.in(folder(), DAY, now).find(wanted, limit);
    }

    private MessageTrace one(String wanted) throws IOException {
        TraceResult found = find(wanted, 20);
        assertThat(found.messages()).hasSize(1);
        return found.messages().getFirst();
    }

    private QueueId accept(History history, Origin origin, Recipient... recipients) {
        QueueId id = QueueId.after(lastId, now);
        lastId = id.value();
        Envelope envelope = Envelope.of(Address.parse("ann@here.example"), List.of(Address.of("x@x.example")))
                .withRecipients(List.of(recipients)).withOrigin(origin);
        history.accepted(new MessageSummary(id, envelope.sender(), now, 1234, recipients.length, recipients.length, 0,
                0, false, false), envelope);
        return id;
    }

    private static Origin from(String messageId) {
        return new Origin("submission", "[192.0.2.9]", "client.here.example", "ann", messageId, Optional.empty());
    }

    private static Recipient to(String address) {
        return new Recipient(1, Address.of(address));
    }

    private static RecipientOutcome outcome(int number, int code, String status, String text) {
        return new RecipientOutcome(number, Outcome.of(Reply.of(code, status, text), "mx.far.example[192.0.2.25]:25"),
                new RecipientOutcome.Reached(Optional.of(QueuePhase.Code.DATA), 210));
    }

    /// Found by world 1130: a file for each event, until the clock had caught up.
    @Test
    void aClockThatWentBackBeginsOneFile() throws IOException {
        try (HistoryFiles files = new HistoryFiles(folder(), DAY)) {
            files.append("{}\n", now);
            for (int i = 0; i < 100; i++) {
                files.append("{}\n", now - HOUR + i * 1_000);
            }
        }
        assertThat(HistoryFiles.list(folder())).hasSize(2);
    }

    @Test
    void theStoryOfAMessageThatHasLeftIsComplete() throws IOException {
        Recipient bob = to("bob@far.example");
        try (History history = open(DAY)) {
            QueueId id = accept(history, from("<4711@client.example>"), bob);
            now += 210;
            history.decided(id, List.of(bob), List.of(outcome(1, 450, "4.2.0", "greylisted")));
            history.waits(id, now + HOUR);
            now += HOUR;
            history.decided(id, List.of(bob), List.of(outcome(1, 250, "2.0.0", "Ok: queued as 1")));
            history.removed(id, "sent");
        }
        MessageTrace story = one("<4711@client.example>");
        assertThat(story.sender()).isEqualTo("ann@here.example");
        assertThat(story.recipients()).containsExactly("bob@far.example");
        assertThat(story.sizeBytes()).isEqualTo(1234);
        assertThat(story.submitter().user()).isEqualTo("ann");
        assertThat(story.submitter().client()).isEqualTo("[192.0.2.9]");
        assertThat(story.submitter().helo()).isEqualTo("client.here.example");
        assertThat(story.state()).isEqualTo("left the queue: sent");
        assertThat(story.complete()).isTrue();
        assertThat(story.events()).extracting(TraceEvent::event).containsExactly("accepted", "deferred", "waits",
                "delivered", "removed");
        assertThat(story.events().get(1)).isEqualTo(new TraceEvent("2026-11-21T10:00:00.210Z", "deferred",
                List.of("bob@far.example"), "mx.far.example[192.0.2.25]:25", QueuePhase.Code.DATA.word(), 210,
                "450 4.2.0 greylisted"));
    }

    @Test
    void recipientsWithTheSameReplyAreOneEvent() throws IOException {
        List<Recipient> all = List.of(new Recipient(1, Address.of("a@far.example")),
                new Recipient(2, Address.of("b@far.example")), new Recipient(3, Address.of("c@far.example")));
        try (History history = open(DAY)) {
            QueueId id = accept(history, from(""), all.toArray(Recipient[]::new));
            history.decided(id, all, List.of(outcome(1, 250, "2.0.0", "Ok"), outcome(2, 550, "5.1.1", "unknown"),
                    outcome(3, 250, "2.0.0", "Ok")));
        }
        assertThat(one("b@far.example").events()).extracting(TraceEvent::event, TraceEvent::recipients)
                .containsExactly(
                        tuple("accepted",
                                List.of("a@far.example", "b@far.example", "c@far.example")),
                        tuple("delivered", List.of("a@far.example", "c@far.example")),
                        tuple("failed", List.of("b@far.example")));
    }

    @Test
    void addressesAreFoundAsSenderRecipientAliasAndDomain() throws IOException {
        QueueId id;
        QueueId other;
        try (History history = open(DAY)) {
            id = accept(history, from("<1@x>"), new Recipient(1, Address.of("Bob@Far.example"),
                    Optional.of("rfc822;team@here.example"), Set.of()));
            other = accept(history, from("<2@x>"), to("bobby@other.example"));
        }
        for (String wanted : List.of("bob@far.example", "BOB@FAR.EXAMPLE", "<bob@far.example>", "@far.example",
                "team@here.example", "1@x", id.toString())) {
            assertThat(one(wanted).id()).as(wanted).isEqualTo(id.toString());
        }
        assertThat(find("ann@here.example", 20).messages()).extracting(MessageTrace::id)
                .containsExactly(id.toString(), other.toString());
        TraceResult last = find("ann@here.example", 1);
        assertThat(last.messages()).extracting(MessageTrace::id).containsExactly(other.toString());
        assertThat(last.more()).isTrue();
        assertThat(find("ob@far.example", 20).messages()).as("part of an address").isEmpty();
        assertThat(find("eve@far.example", 20).since()).isEqualTo("2026-11-21T10:00:00Z");
    }

    @Test
    void aReportIsLinkedWithItsMessageInBothDirections() throws IOException {
        Recipient bob = to("bob@far.example");
        QueueId id;
        QueueId report;
        try (History history = open(DAY)) {
            id = accept(history, from("<1@x>"), bob);
            history.decided(id, List.of(bob), List.of(outcome(1, 550, "5.1.1", "unknown")));
            report = accept(history, Origin.ofReport(id, "<2@here.example>"), to("ann@here.example"));
            history.removed(id, "bounced");
        }
        assertThat(one(id.toString()).events()).extracting(TraceEvent::event, TraceEvent::text)
                .contains(tuple("report", report.toString()));
        assertThat(one("<2@here.example>").submitter().about()).isEqualTo(id.toString());
    }

    @Test
    void hostileTextStaysInItsField() throws IOException {
        Recipient bob = to("bob@far.example");
        try (History history = open(DAY)) {
            QueueId id = accept(history, new Origin("smtp", "[192.0.2.9]", HOSTILE, HOSTILE, HOSTILE,
                    Optional.empty()), bob);
            history.removed(id, HOSTILE);
        }
        MessageTrace story = one("bob@far.example");
        assertThat(story.submitter().helo()).isEqualTo(HOSTILE);
        assertThat(story.submitter().messageId()).isEqualTo(HOSTILE);
        assertThat(story.events()).hasSize(2);
        assertThat(story.state()).isEqualTo("left the queue: " + HOSTILE);
    }

    @Test
    void aTornLineCostsItselfOnly() throws IOException {
        QueueId id;
        try (History history = open(DAY)) {
            id = accept(history, from("<1@x>"), to("bob@far.example"));
        }
        Path file = files().getFirst();
        Files.writeString(file, "{\"queue\":\"" + id + "\",\"at\":\"2026-", StandardOpenOption.APPEND);
        now += 10;
        try (History history = open(DAY)) {
            history.removed(id, "sent");
        }
        assertThat(files()).as("a start begins a new file").hasSize(2);
        assertThat(one(id.toString()).events()).extracting(TraceEvent::event).containsExactly("accepted", "removed");
    }

    @Test
    void neitherSizeNorTimeIsExceeded() throws IOException {
        QueueId first;
        try (History history = open(DAY)) {
            first = accept(history, from("<first@x>"), to("bob@far.example"));
            history.flush();
            assertThat(find("<first@x>", 1).messages()).hasSize(1);
            for (int i = 0; i < 40; i++) {
                for (int message = 0; message < 200; message++) {
                    accept(history, from("<" + i + "." + message + "@x>"), to("bob@far.example"));
                }
                now += 1_000;
                history.flush();
                assertThat(bytes()).isLessThanOrEqualTo(DAY.size().bytes());
            }
            assertThat(bytes()).as("most of the size is used").isGreaterThan(DAY.size().bytes() * 3 / 4);
            assertThat(find(first.toString(), 1).messages()).isEmpty();
            assertThat(find("39.199@x", 1).messages()).hasSize(1);
            Files.setLastModifiedTime(files().getLast(), FileTime.fromMillis(now));
            now += 20 * HOUR;
            accept(history, from("<young@x>"), to("bob@far.example"));
            history.flush();
            now += 5 * HOUR;
            assertThat(find("39.199@x", 1).messages()).as("not shown after a day").isEmpty();
            history.flush();
            assertThat(files()).as("deleted without new mail").hasSize(1);
            assertThat(find("young@x", 1).messages()).hasSize(1);
        }
    }

    @Test
    void withoutATimeToKeepNothingIsWrittenAndTheOldHistoryGoes() throws IOException {
        try (History history = open(DAY)) {
            accept(history, from("<1@x>"), to("bob@far.example"));
        }
        assertThat(files()).hasSize(1);
        try (History history = open(new HistorySettings(Duration.ZERO, DataSize.ofMebibytes(1)))) {
            accept(history, from("<2@x>"), to("bob@far.example"));
            history.flush();
        }
        assertThat(folder()).doesNotExist();
        assertThat(find("bob@far.example", 1)).isEqualTo(new TraceResult(List.of(), false, ""));
    }

    @Test
    void aFolderThatCannotBeWrittenStopsNoMail() throws IOException {
        Files.writeString(folder(), "a file where the folder should be");
        try (History history = open(DAY)) {
            for (int i = 0; i < 10; i++) {
                accept(history, from("<1@x>"), to("bob@far.example"));
                history.flush();
            }
            Files.delete(folder());
            accept(history, from("<2@x>"), to("bob@far.example"));
        }
        assertThat(find("2@x", 1).messages()).hasSize(1);
    }

    @Test
    void onlyTheOwnerMayReadTheHistory() throws IOException {
        try (History history = open(DAY)) {
            accept(history, from("<1@x>"), to("bob@far.example"));
        }
        assertThat(java.nio.file.attribute.PosixFilePermissions.toString(Files.getPosixFilePermissions(folder())))
                .isEqualTo("rwx------");
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(folder())) {
            return all.sorted().toList();
        }
    }

    private long bytes() throws IOException {
        long bytes = 0;
        for (Path file : files()) {
            bytes += Files.size(file);
        }
        return bytes;
    }
}
