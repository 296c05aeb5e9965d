package org.slipstream.picture;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

class SequenceNotationTest {
    @Test
    void repeatedNamesAndGroupsAreAbbreviated() {
        assertThat(SequenceNotation.text(List.of("1", "1", "2", "1"))).isEqualTo("1×2 2 1");
        assertThat(SequenceNotation.text(List.of("a", "b", "b", "a", "b", "b", "a", "b", "b", "c")))
                .isEqualTo("(a b×2)×3 c");
    }

    @Test
    void printedTextIsReadAsTheSameSequence() {
        long seed = 20;
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            List<String> names = new ArrayList<>();
            for (int i = random.nextInt(60) + 1; i > 0; i--) {
                names.add("xyz".substring(random.nextInt(3)).substring(0, 1));
            }
            assertThat(SequenceNotation.parse(SequenceNotation.text(names))).as("seed " + seed + " round " + round)
                    .contains(names);
        }
    }

    @Test
    void textThatIsNotASequenceIsRejected() {
        assertThat(SequenceNotation.parse("(a b")).isEmpty();
        assertThat(SequenceNotation.parse("a b)×3")).isEmpty();
        assertThat(SequenceNotation.parse("((a b)×3)×2")).isEmpty();
        assertThat(SequenceNotation.parse("")).isEmpty();
    }
}
