package org.slipstream.events.stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DataSize;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The stream of a server with one shard: readers wait, and losses are told.
class EventStreamTest {
    @TempDir
    Path spool;
    private final AtomicLong now = new AtomicLong(System.currentTimeMillis());

    private EventStream stream() throws IOException {
        return new EventStream(new EventSettings(Duration.ofDays(1), DataSize.of(1 << 20)), spool, now::get);
    }

    private static MailEvent event(long offset) {
        return StreamWorld.accepted(StreamWorld.cursor(offset), 1_800_000_000_000L, 1);
    }

    @Test
    void aReaderThatWaitsGetsTheNextEvent() throws Exception {
        EventStream stream = stream();
        ShardEvents shard = stream.shard(1, spool);
        shard.open(new EventCursor(1, 1, 0, 0));
        CompletableFuture<EventReader.EventPage> page = CompletableFuture.supplyAsync(() -> {
            try {
                return stream.read(StreamCursor.OLDEST, 10, 60_000);
            } catch (IOException | InterruptedException e) {
                throw new CompletionException(e);
            }
        });
        shard.append(List.of(event(1)));
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(page::isDone);
        assertThat(page.get().lines()).hasSize(1);
        assertThat(stream.read(page.get().next(), 10, 1).lines()).isEmpty();
    }

    @Test
    void whatCouldNotBeWrittenIsCountedToldAndInTheStream() throws Exception {
        EventStream stream = stream();
        ShardEvents shard = stream.shard(1, spool);
        shard.open(new EventCursor(1, 1, 0, 0));
        shard.append(List.of(event(1)));
        assertThat(stream.trouble()).isEmpty();
        shard.lost(7, "the disk was full");
        shard.lost(5, "the disk was full");
        assertThat(stream.trouble()).hasValueSatisfying(each -> assertThat(each).startsWith("12 events"));
        shard.append(List.of(event(20)));
        List<String> lines = stream.read(StreamCursor.OLDEST, 10, 0).lines();
        assertThat(lines).hasSize(3);
        assertThat(lines.get(1)).contains("\"kind\":\"lost\"", "\"text\":\"12 events: the disk was full\"");
        assertThat(lines.get(2)).contains("\"cursor\":\"1.1.20.1\"");
        now.addAndGet(Duration.ofHours(2).toMillis());
        assertThat(stream.trouble()).isEmpty();
    }

    /// The folder cannot be written: the trouble lasts until it can.
    @Test
    void aFailureIsATroubleUntilTheNextEventIsWritten() throws Exception {
        EventStream stream = stream();
        ShardEvents shard = stream.shard(1, spool);
        shard.open(new EventCursor(1, 1, 0, 0));
        shard.append(List.of(event(1)));
        Path folder = EventFiles.folder(spool);
        Path away = spool.resolve("away");
        Files.move(folder, away);
        // So old that the next event begins a file.
        now.addAndGet(Duration.ofHours(12).toMillis());
        assertThatThrownBy(() -> shard.append(List.of(event(2)))).isInstanceOf(IOException.class);
        assertThat(stream.trouble()).hasValueSatisfying(each -> assertThat(each).startsWith("shard 1:"));
        Files.move(away, folder);
        shard.append(List.of(event(2)));
        assertThat(stream.trouble()).isEmpty();
        assertThat(stream.read(StreamCursor.OLDEST, 10, 0).lines()).hasSize(2);
    }
}
