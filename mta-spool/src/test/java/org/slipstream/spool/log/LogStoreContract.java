package org.slipstream.spool.log;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Each [LogStore] keeps to this. A test of one extends it and says how its store is opened.
abstract class LogStoreContract {
    abstract LogStore claim() throws IOException;

    abstract LogStore toLook() throws IOException;

    private static ByteBuffer octets(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    static byte[] read(LogStore store, long segment) throws IOException {
        try (LogStore.OpenSegment reading = store.open(segment)) {
            byte[] bytes = new byte[(int) reading.size()];
            reading.read(0, bytes, 0, bytes.length);
            return bytes;
        }
    }

    private static String text(LogStore store, long segment) throws IOException {
        return new String(read(store, segment), StandardCharsets.US_ASCII);
    }

    @Test
    void theNextOwnerReadsWhatWasCommitted() throws Exception {
        try (LogStore store = claim()) {
            store.begin(1, octets("head"));
            store.append(octets("one"));
            store.append(octets("two"));
            store.commit();
            store.begin(2, octets("HEAD"));
        }
        try (LogStore next = claim(); LogStore looks = toLook()) {
            for (LogStore each : List.of(next, looks)) {
                assertThat(each.segments()).containsExactly(1L, 2L);
                assertThat(text(each, 1)).isEqualTo("headonetwo");
                assertThat(text(each, 2)).isEqualTo("HEAD");
                assertThat(each.size(1)).isEqualTo(10);
            }
        }
    }

    @Test
    void anAbandonedGroupIsCutOff() throws Exception {
        try (LogStore store = claim()) {
            store.begin(1, octets("head"));
            store.append(octets("kept"));
            store.commit();
            store.append(octets("gone"));
            store.abandon();
            assertThat(text(store, 1)).isEqualTo("headkept");
            assertThatThrownBy(() -> store.append(octets("late"))).isInstanceOf(IOException.class);
            store.begin(2, octets("next"));
            store.abandon();
            assertThat(text(store, 2)).isEqualTo("next");
        }
        try (LogStore store = claim()) {
            store.abandon();
            assertThat(text(store, 1)).isEqualTo("headkept");
        }
    }

    @Test
    void aSegmentIsBegunOnce() throws Exception {
        try (LogStore store = claim()) {
            store.begin(1, octets("head"));
            store.append(octets("kept"));
            store.commit();
            assertThatThrownBy(() -> store.begin(1, octets("again"))).isInstanceOf(IOException.class);
            assertThat(text(store, 1)).isEqualTo("headkept");
        }
    }

    @Test
    void anEarlierOwnerChangesNothing() throws Exception {
        try (LogStore former = claim()) {
            former.mark("", "0000000000.newest");
            former.begin(1, octets("head"));
            former.append(octets("kept"));
            former.commit();
            former.append(octets("open"));
            try (LogStore owner = claim()) {
                assertThat(owner.epoch()).isGreaterThan(former.epoch());
                assertThat(former.isClaimedSince()).isTrue();
                assertThat(owner.isClaimedSince()).isFalse();
                long before = owner.settle(1);
                refused(() -> former.append(octets("late")));
                refused(former::commit);
                refused(() -> former.begin(2, octets("head")));
                refused(() -> former.settle(1));
                refused(() -> former.mend(1, octets("HEAD")));
                refused(() -> former.delete(1));
                refused(() -> former.mark("0000000000.newest", "0000000001.newest"));
                refused(() -> former.unmark("0000000000.newest"));
                former.abandon();
                assertThat(owner.size(1)).as("the owner counts on it").isEqualTo(before);
                assertThat(owner.segments()).containsExactly(1L);
                assertThat(text(owner, 1)).startsWith("headkept");
                assertThat(owner.marks()).containsExactly("0000000000.newest");
                owner.begin(2, octets("head"));
                owner.commit();
            }
        }
    }

    private static void refused(ThrowingCallable change) {
        assertThatThrownBy(change).isInstanceOf(NotOwnerException.class);
    }

    @Test
    void aReaderChangesNothingAndTakesNothingAway() throws Exception {
        try (LogStore store = claim(); LogStore looks = toLook()) {
            store.begin(1, octets("head"));
            assertThat(looks.epoch()).isZero();
            refused(() -> looks.begin(2, octets("head")));
            refused(() -> looks.delete(1));
            refused(() -> looks.mend(1, octets("HEAD")));
            refused(() -> looks.mark("", "0000000001.newest"));
            store.append(octets("kept"));
            store.commit();
            assertThat(text(looks, 1)).isEqualTo("headkept");
        }
    }

    @Test
    void thereIsNothingToReadBehindTheEnd() throws Exception {
        try (LogStore store = claim()) {
            assertThat(store.segments()).isEmpty();
            assertThat(store.size(1)).isZero();
            assertThatThrownBy(() -> store.open(1)).isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> store.append(octets("x"))).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> store.settle(1)).isInstanceOf(IOException.class);
            store.begin(1, octets("head"));
            try (LogStore.OpenSegment reading = store.open(1)) {
                byte[] into = new byte[6];
                reading.read(1, into, 2, 3);
                assertThat(into).isEqualTo("\0\0ead\0".getBytes(StandardCharsets.US_ASCII));
                assertThatThrownBy(() -> reading.read(1, into, 0, 4)).isInstanceOf(EOFException.class);
                assertThat(reading.view(2)).isEqualTo(octets("he"));
                assertThat(reading.view(Long.MAX_VALUE)).isEqualTo(octets("head"));
            }
        }
    }

    @Test
    void aMarkTakesThePlaceOfAnother() throws Exception {
        try (LogStore store = claim()) {
            assertThat(store.marks()).isEmpty();
            store.mark("0000000000.newest", "0000000001.newest");
            store.mark("0000000001.newest", "0000000002.newest");
            store.mark("0000000003-null.lost", "0000000003-17.lost");
            store.mark("0000000003-17.lost", "0000000003-17.lost");
            store.mark("", "0000000001.swept");
            store.unmark("0000000001.swept");
            store.unmark("0000000009.swept");
        }
        try (LogStore store = claim(); LogStore looks = toLook()) {
            assertThat(store.marks()).containsExactlyInAnyOrder("0000000002.newest", "0000000003-17.lost");
            assertThat(looks.marks()).isEqualTo(store.marks());
        }
    }

    @Test
    void aBeginningIsMendedAndASegmentDeleted() throws Exception {
        try (LogStore store = claim()) {
            store.begin(1, octets("hEAd"));
            store.append(octets("kept"));
            store.commit();
            store.begin(3, octets("head"));
            store.mend(1, octets("head"));
            assertThat(text(store, 1)).isEqualTo("headkept");
            store.delete(3);
            store.delete(3);
            assertThat(store.segments()).containsExactly(1L);
        }
    }

    @Test
    void hintsAreKeptBesideTheirSegment() throws Exception {
        try (LogStore store = claim()) {
            store.begin(1, octets("head"));
            store.append(octets("-more"));
            store.commit();
            assertThat(hints(store, 1)).isEmpty();
            store.addHints(1, true, octets("one"));
            store.addHints(1, false, octets("-two"));
            assertThat(hints(store, 1)).isEqualTo("one-two");
            assertThat(text(store, 1)).isEqualTo("head-more");
        }
        try (LogStore next = claim()) {
            assertThat(hints(next, 1)).as("of the former owner").isEqualTo("one-two");
            assertThat(next.hints(1, 6).hasRemaining()).as("longer than the reader wants").isFalse();
            next.addHints(1, true, octets("again"));
            assertThat(hints(next, 1)).isEqualTo("again");
            next.begin(2, octets("head"));
            assertThat(hints(next, 2)).isEmpty();
            next.delete(1);
            assertThat(hints(next, 1)).isEmpty();
            assertThat(next.segments()).containsExactly(2L);
        }
    }

    private static String hints(LogStore store, long segment) throws IOException {
        return StandardCharsets.US_ASCII.decode(store.hints(segment, 100)).toString();
    }

    /// Any order of changes, beside a model that is a map.
    @RepeatedTest(20)
    void itIsAMapOfOctets() throws Exception {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        TreeMap<Long, byte[]> model = new TreeMap<>();
        long epoch = 0;
        long number = 0;
        for (int life = 0; life < 4; life++) {
            try (LogStore store = claim()) {
                assertThat(store.epoch()).isGreaterThan(epoch);
                epoch = store.epoch();
                boolean begun = false;
                for (int i = 0; i < 30; i++) {
                    if (!begun || random.nextInt(8) == 0) {
                        byte[] first = bytes(random, 40);
                        store.begin(++number, ByteBuffer.wrap(first));
                        model.put(number, first);
                        begun = true;
                    }
                    byte[] group = {};
                    for (int part = random.nextInt(4); part > 0; part--) {
                        byte[] more = bytes(random, random.nextInt(10) == 0 ? 300_000 : 2_000);
                        store.append(ByteBuffer.wrap(more));
                        group = joined(group, more);
                    }
                    if (random.nextInt(6) == 0) {
                        store.abandon();
                        begun = false;
                    } else {
                        store.commit();
                        model.merge(number, group, LogStoreContract::joined);
                    }
                    if (random.nextInt(10) == 0 && model.size() > 1) {
                        long oldest = model.pollFirstEntry().getKey();
                        store.delete(oldest);
                    }
                }
                same(store, model, seed);
            }
            try (LogStore looks = toLook()) {
                same(looks, model, seed);
            }
        }
    }

    private static void same(LogStore store, TreeMap<Long, byte[]> model, long seed) throws IOException {
        assertThat(store.segments()).as("seed %d", seed).isEqualTo(model.keySet());
        for (long each : model.keySet()) {
            assertThat(read(store, each)).as("segment %d, seed %d", each, seed).isEqualTo(model.get(each));
        }
    }

    private static byte[] bytes(Random random, int most) {
        byte[] bytes = new byte[1 + random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    /// The reader has what was committed before it opened, whatever the log thread does.
    @Test
    void readersGoOnWhileTheLogGrows() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        Set<Throwable> failures = new HashSet<>();
        try (LogStore store = claim()) {
            store.begin(1, octets("x"));
            Thread reader = Thread.ofPlatform().start(() -> {
                try {
                    long before = 0;
                    while (!ends.get()) {
                        byte[] now = read(store, 1);
                        assertThat(now.length).isGreaterThanOrEqualTo((int) before);
                        assertThat(now).containsOnly('x');
                        before = now.length;
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            });
            for (int i = 0; i < 200; i++) {
                store.append(octets("xxxxxxx"));
                store.commit();
            }
            ends.set(true);
            reader.join();
        }
        assertThat(failures).isEmpty();
    }
}
