package org.slipstream.inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.inject.InjectionTarget.DurableMark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A kill leaves the file as it is in that moment: the next open reads it while the first is not closed.
class RequestKeysTest {
    @TempDir
    Path folder;
    private final AtomicLong now = new AtomicLong(1_800_000_000_000L);
    private final Set<QueueId> spool = new HashSet<>();

    private RequestKeys open(int most) throws Exception {
        return RequestKeys.open(folder.resolve(RequestKeys.FILE), spool::contains, now::get, most);
    }

    private RequestKeys open() throws Exception {
        return open(100);
    }

    private static void single(RequestKeys keys, String key, int id) throws Exception {
        try (RequestKeys.Claim claim = keys.claim("ann", key)) {
            DurableMark mark = claim.mark(1, "h");
            mark.begins(new QueueId(id));
            mark.isStored();
            claim.decided(1, "h", Optional.of(new QueueId(id)));
        }
    }

    private static boolean knows(RequestKeys keys, String key) throws Exception {
        try (RequestKeys.Claim claim = keys.claim("ann", key)) {
            return claim.isStored(1, "h");
        }
    }

    @Test
    void aKillBeforeTheCommitLeavesNothing() throws Exception {
        try (RequestKeys killed = open()) {
            killed.claim("ann", "k").mark(1, "h").begins(new QueueId(7));
            try (RequestKeys keys = open()) {
                assertThat(keys.size()).isZero();
                assertThat(knows(keys, "k")).isFalse();
            }
        }
    }

    @Test
    void aKillBetweenTheCommitAndItsMarkIsSettledByTheSpool() throws Exception {
        try (RequestKeys killed = open()) {
            killed.claim("ann", "k").mark(1, "h").begins(new QueueId(7));
            spool.add(new QueueId(7));
            try (RequestKeys keys = open()) {
                assertThat(knows(keys, "k")).isTrue();
                assertThat(keys.claim("ann", "k").queue()).contains(new QueueId(7));
            }
        }
    }

    /// By then the message may be delivered, and the spool does not know it.
    @Test
    void aKillBehindTheMarkNeedsNoSpool() throws Exception {
        try (RequestKeys killed = open()) {
            DurableMark mark = killed.claim("ann", "k").mark(1, "h");
            mark.begins(new QueueId(7));
            mark.isStored();
            try (RequestKeys keys = open()) {
                assertThat(knows(keys, "k")).isTrue();
            }
        }
    }

    @Test
    void aPageThatIsCompleteNeedsNoMemoryForItsMessages() throws Exception {
        try (RequestKeys keys = open()) {
            RequestKeys.Claim claim = keys.claim("ann", "k");
            for (int number = 1; number <= 500; number++) {
                DurableMark mark = claim.mark(number, "h" + number);
                mark.begins(new QueueId(number));
                mark.isStored();
            }
            assertThat(keys.openItems()).isEqualTo(500);
            claim.decided(500, "h500", Optional.empty());
            assertThat(keys.openItems()).isZero();
        }
        try (RequestKeys keys = open(); RequestKeys.Claim claim = keys.claim("ann", "k")) {
            assertThat(claim.decided()).isEqualTo(500);
            assertThat(claim.isStored(500, "h500")).isTrue();
            assertThat(claim.isStored(501, "h501")).isFalse();
            assertThatThrownBy(() -> claim.isStored(500, "other")).isInstanceOf(InjectionFault.class);
        }
    }

    @Test
    void aKeyIsForgottenAfterADay() throws Exception {
        try (RequestKeys keys = open()) {
            single(keys, "k", 1);
            now.addAndGet(TimeUnit.DAYS.toMillis(1) - 1);
            assertThat(knows(keys, "k")).isTrue();
            now.addAndGet(1);
            assertThat(knows(keys, "k")).isFalse();
        }
    }

    @Test
    void theOldestKeysMakeRoomAndTheFileStaysShort() throws Exception {
        try (RequestKeys keys = open(100)) {
            for (int i = 1; i <= 100; i++) {
                single(keys, "k" + i, i);
            }
            assertThat(knows(keys, "k1")).isTrue();
            single(keys, "k101", 101);
            // A look at a key counts as its use.
            assertThat(knows(keys, "k1")).isTrue();
            assertThat(knows(keys, "k2")).isFalse();
            for (int i = 0; i < 30_000; i++) {
                single(keys, "n" + i, i + 200);
            }
            assertThat(keys.size()).isEqualTo(100);
            assertThat(Files.size(folder.resolve(RequestKeys.FILE))).isLessThan(6L << 20);
        }
        try (RequestKeys keys = open(100)) {
            assertThat(knows(keys, "n29999")).isTrue();
        }
    }

    @Test
    void usersDoNotShareKeys() throws Exception {
        try (RequestKeys keys = open();
                RequestKeys.Claim ann = keys.claim("ann", "k");
                RequestKeys.Claim bob = keys.claim("bob", "k")) {
            assertThatThrownBy(() -> keys.claim("ann", "k")).isInstanceOf(InjectionFault.class);
            assertThat(ann.decided() + bob.decided()).isZero();
        }
    }

    @Test
    void aTornOrDamagedLineSpoilsNoOther() throws Exception {
        try (RequestKeys keys = open()) {
            single(keys, "k1", 1);
        }
        Path file = folder.resolve(RequestKeys.FILE);
        Files.writeString(file, "I 00 x\nP \u00ff\n\nI abc 1 ", StandardOpenOption.APPEND);
        try (RequestKeys keys = open()) {
            assertThat(knows(keys, "k1")).isTrue();
            single(keys, "k2", 2);
        }
        try (RequestKeys keys = open()) {
            assertThat(knows(keys, "k1")).isTrue();
            assertThat(knows(keys, "k2")).isTrue();
        }
        assertThat(file).isRegularFile();
    }
}
