package org.slipstream.core;

import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

class LogTextTest {
    @Test
    void ordinaryTextIsLeftAlone() {
        assertThat(LogText.path(Address.of("bounces+a=b@x.example"))).isEqualTo("<bounces+a=b@x.example>");
        assertThat(LogText.path(Address.of("j\u00fcrgen@b\u00fccher.example")))
                .isEqualTo("<j\u00fcrgen@b\u00fccher.example>");
        assertThat(LogText.path(Optional.empty())).isEqualTo("<>");
        assertThat(LogText.text("550 5.1.1 <b@y.example>: unknown")).isEqualTo("550 5.1.1 <b@y.example>: unknown");
    }

    @Test
    void aQuotedLocalPartMakesNoFields() {
        assertThat(LogText.path(Address.of("\"a> to=<b@c> reply=\\\"250 Ok\"@x.example")))
                .isEqualTo("<a\\u003e\\u0020to=\\u003cb@c\\u003e\\u0020reply=\\u0022250\\u0020Ok@x.example>");
        assertThat(LogText.path(Address.of("\"a\\\\u0020b\"@x.example"))).isEqualTo("<a\\u005cu0020b@x.example>");
    }

    @Test
    void quotedTextEndsWhereItsFieldEnds() {
        assertThat(LogText.text("550 no\" msg=accepted")).isEqualTo("550 no' msg=accepted");
        assertThat(LogText.text("ends with \\")).isEqualTo("ends with \\\\");
        assertThat(LogText.text("a\r\nqueue=1\u2028x\u202ey\u0000")).isEqualTo("a??queue=1?x?y?");
        assertThat(LogText.text("x".repeat(10_000))).hasSize(500);
    }

    @Test
    void nothingEndsAWord() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            int[] points = random.ints(random.nextInt(20), 0, random.nextBoolean() ? 128 : 0x3000).toArray();
            String word = LogText.word(new String(points, 0, points.length));
            assertThat(word).as("seed %d", seed).doesNotContainPattern("[\\s\"<>\\p{Cc}\\p{Cf}\\p{Z}]");
        }
    }
}
