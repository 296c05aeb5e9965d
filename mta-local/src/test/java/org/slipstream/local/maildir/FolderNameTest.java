package org.slipstream.local.maildir;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

import static org.assertj.core.api.Assertions.assertThat;

class FolderNameTest {
    @ParameterizedTest
    @CsvSource({"alice,alice", "a.b-c_d+e=f,a.b-c_d+e=f", "john doe,john%20doe", "../../x,%2E.%2F..%2Fx", "..,%2E.",
            ".,%2E", ".hidden,%2Ehidden", "a/b,a%2Fb", "100%,100%25", "%2e,%252e", "jürgen,j%C3%BCrgen",
            "a\\b,a%5Cb", "x@y,x%40y", "a'b,a%27b"})
    void strangeLocalPartsMakeTameFolders(String localPart, String folder) {
        assertThat(FolderName.of(localPart)).isEqualTo(folder);
    }

    @Test
    void veryLongNamesFitAndStayDifferent() {
        String one = FolderName.of("é".repeat(500) + "1");
        String other = FolderName.of("é".repeat(500) + "2");
        assertThat(one).isNotEqualTo(other).startsWith("%C3%A9").contains("%sha256=");
        assertThat(one.length()).isLessThan(256);
        assertThat(FolderName.of("a".repeat(200))).isEqualTo("a".repeat(200));
        assertThat(FolderName.of("a".repeat(201)).length()).isLessThan(256);
    }

    @Test
    void noNameLeavesItsFolderAndNoTwoShareOne() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        String messages = "ab./\\%~ .é\0@\"2eE";
        Map<String, String> seen = new HashMap<>();
        Path root = Path.of("/mail/here.example");
        for (int i = 0; i < 20_000; i++) {
            StringBuilder name = new StringBuilder();
            for (int left = random.nextInt(1, 8); left > 0; left--) {
                name.append(messages.charAt(random.nextInt(messages.length())));
            }
            String folder = FolderName.of(name.toString());
            assertThat(root.resolve(folder).normalize()).as("seed %d, name %s", seed, name)
                    .isEqualTo(root.resolve(folder)).hasParentRaw(root);
            assertThat(folder.getBytes(StandardCharsets.US_ASCII)).as("seed %d", seed).doesNotContain('/', '\0');
            String before = seen.put(folder, name.toString());
            assertThat(before == null || before.equals(name.toString())).as("seed %d: %s and %s", seed, before, name)
                    .isTrue();
        }
    }
}
