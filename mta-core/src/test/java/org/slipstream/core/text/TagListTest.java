package org.slipstream.core.text;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class TagListTest {
    @Test
    void aTagKnowsWhereItsValueBegins() {
        String text = "z=b=no; B = yes ;\r\n bh=x\r\n y;";
        TagList list = TagList.parse(text).orElseThrow();
        assertThat(list.tags()).containsExactly(Map.entry("z", "b=no"), Map.entry("b", "yes"),
                Map.entry("bh", "x\r\n y"));
        assertThat(text.substring(list.starts().get("b"))).startsWith(" yes ;");
        assertThat(list.unfolded("bh")).contains("xy");
    }

    @Test
    void faultsAreKeptApart() {
        TagList list = TagList.read("v=DMARC1; p; =x; 1a=b; a b=c; p=none; p=reject; n=a\u0000b; ; q=");
        assertThat(list.isVersion("DMARC1")).isTrue();
        assertThat(list.tags()).containsOnlyKeys("v", "p", "q").containsEntry("p", "none");
        assertThat(list.faults()).containsExactly("p", "=x", "1a=b", "a b=c", "p=reject", "n=a\u0000b", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ";", "a=b;", "a=b; \r\n", "a=\u00fc\u0085"})
    void textsThatAreLists(String text) {
        assertThat(TagList.parse(text).isPresent()).isEqualTo(!text.equals(";"));
    }

    @Test
    void longTextsAreNotRead() {
        assertThat(TagList.parse("a=" + "x".repeat(TagList.LONGEST - 2))).isPresent();
        assertThat(TagList.read("a=" + "x".repeat(TagList.LONGEST - 1)).tags()).isEmpty();
    }
}
