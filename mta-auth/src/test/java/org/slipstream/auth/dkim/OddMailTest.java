package org.slipstream.auth.dkim;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.auth.dkim.TestMail.ED25519;
import static org.slipstream.auth.dkim.TestMail.RSA;

/// Own signatures verify, whatever the message is.
class OddMailTest {
    static Stream<Map.Entry<String, byte[]>> all() {
        Map<String, byte[]> all = new LinkedHashMap<>(OddMail.messages());
        all.putAll(OddMail.malformed());
        return all.entrySet().stream();
    }

    @ParameterizedTest
    @MethodSource("all")
    void ownSignaturesPass(Map.Entry<String, byte[]> message) {
        byte[] signed = TestMail.signed(message.getValue(), RSA, ED25519);
        assertThat(TestMail.verify(signed, TestMail.dns(RSA, ED25519)).subList(0, 2)).as(message.getKey())
                .extracting(DkimResult::verdict).containsExactly(DkimVerdict.PASS, DkimVerdict.PASS);
        assertThat(new String(signed, 0, signed.length - message.getValue().length,
                StandardCharsets.US_ASCII).lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(78));
    }
}
