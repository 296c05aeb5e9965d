package org.slipstream.server.report;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.settings.DelayTimes;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A server is killed when a report is in the log, and before anything follows. The next life of the server, or another
/// node, must not make it again.
class ReportOnceTest {
    private static final Outcome REFUSED = Outcome.of(Reply.of(550, "5.1.1", "no such user"), "mx.far.example");
    private static final Outcome BUSY = Outcome.of(Reply.of(451, "4.3.2", "busy"), "mx.far.example");
    private static final Duration DELAY = Duration.ofHours(1);
    private static final Outcome TAKEN = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.far.example");

    @TempDir
    Path home;
    private long nowMillis = Instant.parse("2026-11-28T10:00:00Z").toEpochMilli();

    private static final class KilledException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @EnumSource(value = ReportKind.class, names = "DOUBLE_BOUNCE", mode = EnumSource.Mode.EXCLUDE)
    void aKillBehindTheReportCausesNoSecondOne(ReportKind kind) throws Exception {
        QueueId id;
        try (Spool spool = open()) {
            id = happened(spool, kind);
            assertThat(isDue(spool, id, kind)).isTrue();
            assertThatThrownBy(() -> reporter(spool).report(id, kind)).isInstanceOf(KilledException.class);
        }
        try (Spool spool = open()) {
            assertThat(isDue(spool, id, kind)).isFalse();
            List<MessageDetails> reports = spool.list(Optional.empty(), 10).stream()
                    .filter(each -> each.summary().sender().isEmpty()).toList();
            assertThat(reports).singleElement()
                    .satisfies(each -> assertThat(each.envelope().origin().about()).contains(id));
            assertThat(spool.details(id).isPresent()).isEqualTo(kind != ReportKind.DELIVERED);
        }
    }

    private Spool open() throws Exception {
        return Spools.open(SpoolConfig.at(home), () -> nowMillis);
    }

    /// A message with two recipients, of which the report tells one.
    private QueueId happened(Spool spool, ReportKind kind) throws IOException {
        QueueId id;
        try (Draft draft = spool.draft()) {
            draft.write("Subject: x\r\n\r\nText\r\n".getBytes(StandardCharsets.US_ASCII), 0, 20);
            id = draft.commit(new Envelope(Address.parse("alice@here.example"), BodyType.SEVEN_BIT, false,
                    Optional.empty(), DsnReturn.UNSPECIFIED,
                    List.of(new Recipient(1, Address.of("bob@far.example"), Optional.empty(),
                            kind == ReportKind.DELIVERED ? Set.of(DsnNotify.SUCCESS) : Set.of()),
                            new Recipient(2, Address.of("carol@far.example")))))
                    .id();
        }
        nowMillis += DELAY.toMillis();
        switch (kind) {
            case FAILED, DOUBLE_BOUNCE -> record(spool, id, REFUSED, BUSY);
            case DELAYED -> record(spool, id, BUSY, TAKEN);
            case CLEARED -> {
                done(then -> spool.delayReported(id, 1, then));
                record(spool, id, TAKEN, TAKEN);
            }
            case DELIVERED -> record(spool, id, TAKEN, TAKEN);
        }
        return id;
    }

    private static void record(Spool spool, QueueId id, Outcome first, Outcome second) {
        done(then -> spool.record(id, List.of(new RecipientOutcome(1, first), new RecipientOutcome(2, second)), then));
    }

    private static void done(Consumer<Runnable> change) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        change.accept(() -> done.complete(null));
        done.join();
    }

    /// The facts that the queue manager decides by after a start.
    private static boolean isDue(Spool spool, QueueId id, ReportKind kind) throws IOException {
        return spool.details(id).filter(message -> switch (kind) {
            case FAILED, DOUBLE_BOUNCE -> message.recipients().stream()
                    .anyMatch(each -> each.state() == RecipientStatus.FAILED);
            case DELAYED -> message.summary().delayReports() == 0;
            case CLEARED -> message.summary().delayReports() > 0;
            case DELIVERED -> true;
        }).isPresent();
    }

    private Reporter reporter(Spool spool) {
        return new Reporter(spool, ReportOnceTest::commitAndDie, new Reporter.ReporterSettings("mail.here.example",
                _ -> Address.of("postmaster@here.example"), Duration.ofDays(5).toMillis(),
                new DelayTimes(List.of(DELAY)), Optional.empty(), ReportTemplates.in(home)),
                Clock.fixed(Instant.ofEpochMilli(nowMillis), ZoneOffset.UTC));
    }

    private static MessageSummary commitAndDie(Draft into, Envelope envelope, byte[] content) throws IOException {
        try (Draft draft = into) {
            draft.write(content, 0, content.length);
            draft.commit(envelope);
        }
        throw new KilledException();
    }
}
