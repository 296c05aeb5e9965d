package org.slipstream.local.maildrop;

import org.junit.jupiter.api.Test;
import org.slipstream.local.maildrop.OwnerTurns.DropFile;

import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

class OwnerTurnsTest {
    private static final int MALLORY = 1;
    private static final int ALICE = 2;
    private static final int BOB = 3;
    private final OwnerTurns turns = new OwnerTurns();

    @Test
    void theFilesOfOneUserDoNotKeepThoseOfOthersWaiting() {
        for (int i = 0; i < 100_000; i++) {
            turns.add(new DropFile("new." + i, MALLORY, i));
        }
        turns.add(new DropFile("new.alice", ALICE, 500_000));
        turns.add(new DropFile("new.bob", BOB, 500_000));
        assertThat(turns.inTurns(Set.of())).hasSize(OwnerTurns.MOST_OF_A_ROUND)
                .extracting(DropFile::name).startsWith("new.0", "new.alice", "new.bob", "new.1");
    }

    /// Each user has some turns, however many files there are. A file of another user that comes now
    /// waits for this round, so the round is short.
    @Test
    void manyUsersWithManyFilesAreBounded() {
        int kept = 0;
        for (int user = 0; user < 500; user++) {
            for (int i = 0; i < 2_000; i++) {
                kept += turns.add(new DropFile("new.", user, 0)) ? 1 : 0;
            }
        }
        assertThat(kept).isBetween(OwnerTurns.MOST_FILES, OwnerTurns.MOST_FILES + 500 * OwnerTurns.ALWAYS);
        List<DropFile> round = turns.inTurns(Set.of());
        assertThat(round).hasSize(500);
        assertThat(round.stream().map(DropFile::owner).distinct()).hasSize(500);
    }

    @Test
    void aFileThatFailedComesAfterTheOthersOfItsOwner() {
        turns.add(new DropFile("new.stuck", ALICE, 1));
        turns.add(new DropFile("new.old", ALICE, 2));
        turns.add(new DropFile("new.young", ALICE, 3));
        assertThat(turns.inTurns(Set.of("new.stuck"))).extracting(DropFile::name).containsExactly("new.old",
                "new.young", "new.stuck");
    }
}
