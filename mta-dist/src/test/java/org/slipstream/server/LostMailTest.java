package org.slipstream.server;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.settings.SettingsSource;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.SpoolTools;
import org.slipstream.spool.tools.Spools;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

class LostMailTest {
    private static final Outcome TAKEN = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net");

    @TempDir
    Path home;

    private Config config() throws Exception {
        Files.writeString(home.resolve("mta.toml"), "hostname = \"mail.here.example\"\n");
        return ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of())).config();
    }

    private static QueueId commit(Spool spool, String sender, String... recipients) throws Exception {
        try (Draft draft = spool.draft()) {
            draft.write("Subject: x\r\n\r\nText\r\n".getBytes(StandardCharsets.US_ASCII), 0, 20);
            return draft
                    .commit(Envelope.of(Address.parse(sender), List.of(recipients).stream().map(Address::of).toList()))
                    .id();
        }
    }

    @Test
    void theSenderOfALostMessageIsToldOfThoseWhoHaveNotHadIt() throws Exception {
        Config config = config();
        SpoolConfig files = config.spool();
        QueueId lost;
        QueueId report;
        QueueId put;
        try (Spool spool = Spools.open(files, System::currentTimeMillis)) {
            lost = commit(spool, "alice@here.example", "bob@far.example", "carol@far.example");
            report = commit(spool, "", "alice@here.example");
            CompletableFuture<Void> recorded = new CompletableFuture<>();
            spool.record(lost, List.of(new RecipientOutcome(1, TAKEN)), () -> recorded.complete(null));
            recorded.join();
        }
        try (Spool spool = Spools.open(files, System::currentTimeMillis)) {
            put = commit(spool, "alice@here.example", "dave@far.example");
        }
        Path segments = files.directory().resolve("log");
        Path away = Files.move(segments.resolve("0000000001.segment"), home.resolve("away"));
        Files.move(segments.resolve("0000000002.segment"), home.resolve("back"));
        Files.write(segments.resolve("0000000003.segment"), new byte[0]);
        assertThat(SpoolTools.setAside(files, System::currentTimeMillis).setAside()).isEqualTo(3);
        Files.move(home.resolve("back"), segments.resolve("0000000002.segment"));

        SpoolTools.Report told = SpoolTools.settleSetAside(files, System::currentTimeMillis, Set.of(),
                LostMail.reports(config));
        assertThat(away).exists();
        assertThat(told.records()).isEqualTo(2);
        assertThat(told.findings()).as("what can be read is back, and not lost").isEmpty();
        try (Spool spool = Spools.open(files, System::currentTimeMillis)) {
            assertThat(spool.details(lost)).isEmpty();
            assertThat(spool.details(report)).as("a report is not reported").isEmpty();
            List<MessageDetails> waiting = spool.list(Optional.empty(), 10);
            assertThat(waiting.getFirst().summary().id()).isEqualTo(put);
            assertThat(waiting).hasSize(2);
            MessageDetails queued = waiting.getLast();
            assertThat(queued.summary().sender()).isEmpty();
            assertThat(queued.envelope().recipients()).extracting(each -> each.address().toString())
                    .containsExactly("alice@here.example");
            try (var input = spool.content(queued.summary().id()).open()) {
                assertThat(new String(input.readAllBytes(), StandardCharsets.US_ASCII))
                        .contains("<carol@far.example>", "554 5.3.0", "lost on the disk", lost.toString())
                        .doesNotContain("bob@far.example");
            }
        }
    }
}
