package org.slipstream.cluster;

import org.junit.jupiter.api.Test;
import org.slipstream.cluster.SettingsCheck.ToldSettings;
import org.slipstream.core.CheckFinding;
import org.slipstream.core.CheckFinding.Level;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/// Keys that are not the same on all nodes are named, with the nodes, and without their values.
class SettingsCheckTest {
    private static ToldSettings node(String name, Map<String, String> values) {
        return new ToldSettings(name, "1.0", SettingPrints.parse(SettingPrints.of(values).text()));
    }

    private static List<CheckFinding> judge(ToldSettings... nodes) {
        return SettingsCheck.judge(Arrays.asList(nodes));
    }

    private static Map<String, String> keys(int count, String value) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < count; i++) {
            values.put("routes.d" + i + ".example", value);
        }
        return values;
    }

    @Test
    void equalSettingsAreOneLine() {
        Map<String, String> same = Map.of("queue.lanes-per-destination", "6", "routes.*", "smtp:sink:1025");
        assertThat(judge(node("a", same), node("b", same), node("c", same))).singleElement()
                .extracting(CheckFinding::level, CheckFinding::text)
                .containsExactly(Level.OK, "the same on nodes a, b, c");
        assertThat(judge(node("a", same))).as("nothing to compare").isEmpty();
    }

    @Test
    void aKeyThatDiffersIsNamedWithTheNodesThatAgreeAndADefaultIsAValueToo() {
        Map<String, String> secret = Map.of("spool.database", "jdbc:postgresql://db/x?password=sesame");
        var findings = judge(node("a", Map.of("queue.lanes", "6")), node("b", Map.of("queue.lanes", "7")),
                node("c", Map.of("queue.lanes", "6", "spool.database", secret.get("spool.database"))));
        assertThat(findings).extracting(CheckFinding::level, CheckFinding::text).containsExactly(
                tuple(Level.LACKS, "queue.lanes of the nodes differ: a, c | b"),
                tuple(Level.LACKS, "spool.database of the nodes differ: a, b | c"));
        assertThat(SettingPrints.of(secret).text()).doesNotContain("sesame", "password");
    }

    @Test
    void equalValuesOfTwoKeysHaveTwoPrints() {
        assertThat(SettingPrints.of(Map.of("a", "1", "b", "1")).byKey().values()).doesNotHaveDuplicates();
    }

    @Test
    void aNodeOfAnEarlierVersionIsNotKnown() {
        Map<String, String> same = Map.of("queue.lanes", "6");
        assertThat(judge(node("a", same), new ToldSettings("b", "0.9", Optional.empty()), node("c", same)))
                .extracting(CheckFinding::level, CheckFinding::text).containsExactly(
                        tuple(Level.UNKNOWN, "node b (0.9) does not tell its settings"),
                        tuple(Level.OK, "the same on nodes a, c"));
        assertThat(SettingPrints.parse("not such a text\nx")).isEmpty();
        assertThat(SettingPrints.parse("x y\n".repeat(SettingPrints.MOST_OCTETS))).isEmpty();
    }

    @Test
    void manyDifferencesAreCounted() {
        assertThat(judge(node("a", keys(20, "x")), node("b", keys(20, "y")))).hasSize(20);
        assertThat(judge(node("a", keys(23, "x")), node("b", keys(23, "y")))).hasSize(21).last()
                .extracting(CheckFinding::text).isEqualTo("and 3 further keys differ");
    }

    /// At the limit of a row, and behind it.
    @Test
    void tooManyKeysBecomeOnePrint() {
        String key = "k".repeat(SettingPrints.MOST_OCTETS - " \n".length() - 16);
        assertThat(SettingPrints.of(Map.of(key, "x")).isFolded()).isFalse();
        assertThat(SettingPrints.of(Map.of(key, "x")).text()).hasSize(SettingPrints.MOST_OCTETS);
        Map<String, String> long1 = Map.of(key + "k", "x");
        assertThat(SettingPrints.of(long1).isFolded()).isTrue();
        assertThat(judge(node("a", long1), node("b", long1))).extracting(CheckFinding::level)
                .containsExactly(Level.OK);
        assertThat(judge(node("a", long1), node("b", Map.of(key + "k", "y")), node("c", Map.of("few", "z"))))
                .extracting(CheckFinding::text).containsExactly("the settings of the nodes differ: a | b | c");
    }
}
