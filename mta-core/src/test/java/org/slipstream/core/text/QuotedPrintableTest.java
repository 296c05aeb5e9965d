package org.slipstream.core.text;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class QuotedPrintableTest {
    @Test
    void blanksAtLineEndsAndOctetsThatAreNoTextAreWrittenInNumbers() {
        assertThat(encode("a =\r\n")).isEqualTo("a =3D\r\n");
        assertThat(encode("a \r\nb\t")).isEqualTo("a=20\r\nb=09");
        assertThat(encode("a b\tc")).isEqualTo("a b\tc");
        assertThat(encode("\n\r\0\u007f\u00e9")).isEqualTo("=0A=0D=00=7F=E9");
    }

    @Test
    void longLinesAreBrokenSoftly() {
        assertThat(encode("x".repeat(80))).isEqualTo("x".repeat(75) + "=\r\n" + "x".repeat(5));
        assertThat(encode("\u00e9".repeat(26))).isEqualTo("=E9".repeat(25) + "=\r\n=E9");
    }

    private static String encode(String text) {
        return new String(QuotedPrintable.encode(text.getBytes(StandardCharsets.ISO_8859_1)),
                StandardCharsets.ISO_8859_1);
    }
}
