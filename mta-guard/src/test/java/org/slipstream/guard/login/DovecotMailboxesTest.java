package org.slipstream.guard.login;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.guard.login.MailboxLookup.Existence;
import org.slipstream.testkit.StubDovecot;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

class DovecotMailboxesTest {
    private static final Address ALICE = new Address("alice", "example.org");
    private static final Address BOB = new Address("bob", "example.org");

    @TempDir
    Path folder;
    private final AtomicLong nanos = new AtomicLong();

    private StubDovecot stub() {
        return StubDovecot.start(folder.resolve("auth-userdb"), StubDovecot.MASTER, line -> {
            var word = line.split("\t");
            return !word[0].equals("USER")
                    ? ""
                    : word[2].startsWith("alice")
                            ? "USER\t" + word[1] + "\talice@example.org\tuid=8"
                            : "NOTFOUND\t" + word[1];
        });
    }

    @Test
    void answersAreRememberedForSomeMinutes() {
        try (var dovecot = stub(); var mailboxes = new DovecotMailboxes(dovecot.endpoint(), nanos::get)) {
            for (int round = 0; round < 3; round++) {
                assertThat(mailboxes.find(ALICE)).isEqualTo(Existence.EXISTS);
                assertThat(mailboxes.find(BOB)).isEqualTo(Existence.UNKNOWN);
            }
            assertThat(dovecot.lines).containsExactly("VERSION\t1\t1", "USER\t1\talice@example.org\tservice=lmtp",
                    "USER\t2\tbob@example.org\tservice=lmtp");
            nanos.addAndGet(Duration.ofMinutes(2).toNanos());
            mailboxes.find(ALICE);
            mailboxes.find(BOB);
            assertThat(dovecot.lines).as("a new user has mail within a minute").hasSize(4);
            nanos.addAndGet(Duration.ofMinutes(4).toNanos());
            mailboxes.find(ALICE);
            assertThat(dovecot.lines).hasSize(5);
        }
    }

    @Test
    void whileDovecotIsAwayKnownMailboxesExistAndOthersAreUncertain() {
        var dovecot = stub();
        try (var mailboxes = new DovecotMailboxes(dovecot.endpoint(), nanos::get)) {
            mailboxes.find(ALICE);
            mailboxes.find(BOB);
            dovecot.close();
            nanos.addAndGet(Duration.ofHours(1).toNanos());
            assertThat(mailboxes.find(ALICE)).isEqualTo(Existence.EXISTS);
            assertThat(mailboxes.find(BOB)).as("a user may have been added").isEqualTo(Existence.UNCERTAIN);
            try (var _ = stub()) {
                assertThat(mailboxes.find(BOB)).isEqualTo(Existence.UNKNOWN);
            }
        }
    }

    @Test
    void aRefusalToLookUpIsNoUnknownUser() {
        try (var dovecot = stub(); var mailboxes = new DovecotMailboxes(dovecot.endpoint(), nanos::get)) {
            dovecot.answers(line -> "FAIL\t" + line.split("\t")[1] + "\treason=Permission denied");
            assertThat(mailboxes.find(ALICE)).isEqualTo(Existence.UNCERTAIN);
        }
    }
}
