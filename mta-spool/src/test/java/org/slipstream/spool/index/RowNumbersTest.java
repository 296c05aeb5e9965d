package org.slipstream.spool.index;

import org.junit.jupiter.api.RepeatedTest;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

class RowNumbersTest {
    @RepeatedTest(5)
    void aMapOfRowsKeepsWhatIsPutAndForgetsWhatIsRemoved() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        // Few ids, so that entries share homes and gaps are filled again.
        long[] ids = random.longs(600, 1, Long.MAX_VALUE).toArray();
        Map<Long, Integer> expected = new HashMap<>();
        RowNumbers numbers = new RowNumbers();
        for (int i = 0; i < 20_000; i++) {
            long id = ids[random.nextInt(ids.length)];
            if (random.nextInt(3) == 0) {
                expected.remove(id);
                numbers.remove(id);
            } else {
                expected.put(id, i);
                numbers.put(id, i);
            }
        }
        for (long id : ids) {
            assertThat(numbers.get(id)).as("seed %d", seed).isEqualTo(expected.getOrDefault(id, RowNumbers.NONE));
        }
    }
}
