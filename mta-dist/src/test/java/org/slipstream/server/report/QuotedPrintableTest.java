package org.slipstream.server.report;

import jakarta.mail.internet.MimeUtility;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

import static org.assertj.core.api.Assertions.assertThat;

class QuotedPrintableTest {
    @Test
    void blanksAtLineEndsAndWhatIsNoTextIsWrittenInNumbers() {
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

    @Test
    void everythingComesBackAsItWas() throws Exception {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        String messages = "\r\n\r\n\r\n  \t=.ab\0\u00ff";
        for (int i = 0; i < 2_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int left = random.nextInt(300); left > 0; left--) {
                text.append(messages.charAt(random.nextInt(messages.length())));
            }
            String encoded = encode(text.toString());
            assertThat(encoded.split("\r\n")).as("seed %d", seed).allMatch(line -> line.length() <= 76)
                    .allMatch(line -> line.chars().allMatch(c -> c == '\t' || c >= ' ' && c < 127));
            var decoding = MimeUtility.decode(
                    new ByteArrayInputStream(encoded.getBytes(StandardCharsets.ISO_8859_1)), "quoted-printable");
            assertThat(new String(decoding.readAllBytes(), StandardCharsets.ISO_8859_1)).as("seed %d", seed)
                    .isEqualTo(text.toString());
        }
    }

    private static String encode(String text) {
        return new String(QuotedPrintable.encode(text.getBytes(StandardCharsets.ISO_8859_1)),
                StandardCharsets.ISO_8859_1);
    }
}
