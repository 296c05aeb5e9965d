package org.slipstream.smtpin.data;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

/// The field `TLS-Required`; the other fields are tested with the messages that lack them.
class OriginFieldsTest {
    private static boolean isTlsOptional(String header) {
        byte[] octets = header.getBytes(StandardCharsets.ISO_8859_1);
        OriginFields fields = new OriginFields();
        // Octet by octet, as a slow network may bring it.
        for (int i = 0; i < octets.length; i++) {
            fields.scan(octets, i, 1);
        }
        fields.end();
        return fields.isTlsOptional();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLS-Required: No\r\n", "tls-required:no", "TLS-REQUIRED:\r\n\t NO \r\n\r\n",
            "Subject: x\r\nTLS-Required : No\r\nTo: y\r\n"})
    void theSenderWantsItSentInAnyCase(String header) {
        assertThat(isTlsOptional(header)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "TLS-Required: Yes\r\n", "TLS-Required:\r\n", "TLS-Required: No, thanks\r\n",
            "X-TLS-Required: No\r\n", " TLS-Required: No\r\n", "Subject: x\r\n TLS-Required: No\r\n",
            "TLS-Required: No\r\nTLS-Required: No\r\n", "TLS-Required: Yes\r\nTLS-Required: No\r\n"})
    void otherFieldsSayNothing(String header) {
        assertThat(isTlsOptional(header)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 1_000_000})
    void aLongFieldIsReadInBoundedMemory(int blanks) {
        assertThat(isTlsOptional("TLS-Required:" + " ".repeat(blanks) + "No\r\n")).isEqualTo(blanks == 200);
    }
}
