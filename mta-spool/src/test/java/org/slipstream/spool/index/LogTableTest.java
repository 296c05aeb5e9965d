package org.slipstream.spool.index;

import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.QueueName;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

class LogTableTest {
    private final LogTable table = new LogTable(3);

    private void stored(long id, boolean ownFile) {
        table.stored(id, new RecordPlace(1, 100 * id, ownFile), 10, 1_000 + id, 0);
    }

    private static DueQuery due(int limit) {
        return new DueQuery(QueueName.INCOMING, 10_000, limit, 0, Long.MAX_VALUE);
    }

    @Test
    void aTableThatIsFullTakesNoFurtherMessageAndItsChangesDoNoHarm() {
        for (long id = 1; id <= 5; id++) {
            stored(id, false);
        }
        table.told(5, new Position(1, 700));
        table.nextAttempt(5, 1);
        table.removed(4);
        assertThat(table.totals().messages()).isEqualTo(3);
        assertThat(table.row(new QueueId(5))).isEmpty();
        assertThat(table.lastId()).as("no id is given twice").isEqualTo(5);
        table.removed(1);
        stored(6, false);
        assertThat(table.row(new QueueId(6))).isPresent();
    }

    @Test
    void theOldestAreFoundFirstAndTheNextOneIsNamed() {
        stored(2, false);
        stored(1, false);
        stored(3, false);
        LogTable.DueRows found = table.due(due(2));
        assertThat(found.rows()).extracting(row -> row.id().value()).containsExactly(1L, 2L);
        assertThat(found.more()).isTrue();
        assertThat(found.nextMillis()).isEqualTo(OptionalLong.of(1_003));
    }

    @Test
    void pagesAreTheSameHoweverOftenTheyAreAsked() {
        LogTable large = new LogTable(1_000);
        for (long id = 500; id > 0; id--) {
            large.stored(id * 7 % 503, new RecordPlace(1, id, false), 10, 0, 0);
        }
        for (int round = 0; round < 4; round++) {
            List<Long> found = new ArrayList<>();
            for (var page = page(large, 0); !page.isEmpty(); page = page(large, page.getLast())) {
                assertThat(page).hasSizeLessThanOrEqualTo(40);
                found.addAll(page);
            }
            assertThat(found).isSorted().doesNotHaveDuplicates().hasSize(500 - 10 * round);
            for (int i = 0; i < 10; i++) {
                large.removed(found.get(3 * i));
            }
            if (round == 1) {
                large.stored(5_000, new RecordPlace(1, 0, false), 10, 0, 0);
                assertThat(page(large, 4_999)).containsExactly(5_000L);
                large.removed(5_000);
            }
        }
    }

    private static List<Long> page(LogTable table, long after) {
        return table.page(after, 40, Set.of(MessageStatus.INCOMING)).stream().map(row -> row.id().value()).toList();
    }

    /// Its file would be that of a message that came back.
    @Test
    void theFileOfARemovedMessageIsNamedOnce() {
        stored(2, true);
        table.removed(2);
        assertThat(table.freedFiles()).isEqualTo(Set.of(new QueueId(2)));
        assertThat(table.freedFiles()).isEmpty();
    }
}
