package org.slipstream.server.report;

import jakarta.mail.internet.MimeUtility;
import org.junit.jupiter.api.Test;
import org.slipstream.core.text.QuotedPrintable;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

import static org.assertj.core.api.Assertions.assertThat;

/// Quoted-printable as Jakarta Mail reads it.
class QuotedPrintableReadBackTest {
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
