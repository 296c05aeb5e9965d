package org.slipstream.auth.dkim;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.auth.dkim.Canonicalization.RELAXED;
import static org.slipstream.auth.dkim.Canonicalization.SIMPLE;

class BodyHashTest {
    private static String text(String escaped) {
        return escaped.replace("_", " ").replace("\\r", "\r").replace("\\n", "\n").replace("\\t", "\t");
    }

    private static byte[] hash(Canonicalization form, String body) {
        BodyHash hash = new BodyHash(form);
        byte[] octets = TestMail.octets(body);
        hash.update(octets, 0, octets.length);
        return hash.finish();
    }

    private static byte[] sha256(String text) {
        return BodyHash.sha256().digest(TestMail.octets(text));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"''|\\r\\n|''", "\\r\\n|\\r\\n|''", "\\r\\n\\r\\n\\r\\n|\\r\\n|''",
            "a|a\\r\\n|a\\r\\n", "a\\r\\n|a\\r\\n|a\\r\\n", "a\\r\\n\\r\\n\\r\\n|a\\r\\n|a\\r\\n",
            "\\r\\n\\r\\na|\\r\\n\\r\\na\\r\\n|\\r\\n\\r\\na\\r\\n", "a_\\t_b__\\r\\n|a_\\t_b__\\r\\n|a_b\\r\\n",
            "a\\r\\n__\\t\\r\\n|a\\r\\n__\\t\\r\\n|a\\r\\n", "__|__\\r\\n|''", "__\\r\\n|__\\r\\n|''",
            "_a\\r\\n_b|_a\\r\\n_b\\r\\n|_a\\r\\n_b\\r\\n", "a_|a_\\r\\n|a\\r\\n", "a\\nb|a\\nb\\r\\n|a\\nb\\r\\n",
            "a_\\nb|a_\\nb\\r\\n|a_\\nb\\r\\n", "a\\rb|a\\rb\\r\\n|a\\rb\\r\\n", "a\\r|a\\r\\r\\n|a\\r\\r\\n",
            "a_\\r|a_\\r\\r\\n|a_\\r\\r\\n", "a\\r\\r\\n|a\\r\\r\\n|a\\r\\r\\n", "\\n\\n|\\n\\n\\r\\n|\\n\\n\\r\\n",
            "\\r_\\n|\\r_\\n\\r\\n|\\r_\\n\\r\\n"})
    void theCanonicalFormsOfABody(String body, String simple, String relaxed) {
        assertThat(hash(SIMPLE, text(body))).isEqualTo(sha256(text(simple)));
        assertThat(hash(RELAXED, text(body))).isEqualTo(sha256(text(relaxed)));
    }

    @Test
    void piecesOfAnySizeGiveTheSameDigest() {
        Random random = new Random(32);
        byte[] body = new byte[40_000];
        byte[] some = TestMail.octets("ab \t\r\n\r\n\u00e9");
        for (int i = 0; i < body.length; i++) {
            body[i] = some[random.nextInt(some.length)];
        }
        for (Canonicalization form : Canonicalization.values()) {
            byte[] whole = digest(new BodyHash(form), body, body.length);
            for (int most : new int[]{1, 2, 7, 5_000}) {
                BodyHash hash = new BodyHash(form);
                for (int at = 0; at < body.length;) {
                    int end = Math.min(body.length, at + 1 + random.nextInt(most));
                    hash.update(body, at, end);
                    at = end;
                }
                assertThat(hash.finish()).isEqualTo(whole);
            }
        }
    }

    /// Each is hashed in one pass with constant memory; anything above linear time would take hours.
    @ParameterizedTest
    @ValueSource(strings = {"\\n", "\\r", "_", "\\t", "\\r\\n", "_\\r\\n", "\\r_", "a", "a_"})
    @Timeout(60)
    void fiftyMegabytesOfTheSameTakeLinearTime(String unit) {
        byte[] part = TestMail.octets(text(unit));
        byte[] body = new byte[50_000_000];
        for (int at = 0; at < body.length; at++) {
            body[at] = part[at % part.length];
        }
        body[body.length - 1] = 'x';
        for (Canonicalization form : Canonicalization.values()) {
            assertThat(digest(new BodyHash(form), body, 8_192)).hasSize(32);
        }
    }

    @Test
    void aLimitCountsCanonicalOctets() {
        byte[] body = TestMail.octets("a  b\r\nc\r\n\r\n");
        for (int limit : new int[]{0, 3, 5, 8, 9, 50}) {
            BodyHash hash = new BodyHash(RELAXED, OptionalLong.of(limit));
            byte[] canonical = TestMail.octets("a b\r\nc\r\n");
            assertThat(digest(hash, body, 1)).isEqualTo(
                    BodyHash.sha256().digest(Arrays.copyOf(canonical, Math.min(limit, canonical.length))));
            assertThat(hash.unsigned()).isEqualTo(canonical.length - limit);
        }
    }

    private static byte[] digest(BodyHash hash, byte[] body, int piece) {
        for (int at = 0; at < body.length; at += piece) {
            hash.update(body, at, Math.min(body.length, at + piece));
        }
        return hash.finish();
    }
}
