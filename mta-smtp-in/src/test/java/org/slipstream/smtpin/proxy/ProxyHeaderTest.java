package org.slipstream.smtpin.proxy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

import static org.assertj.core.api.Assertions.assertThat;

class ProxyHeaderTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";

    @Test
    void lines() {
        assertThat(ProxyHeader.line("PROXY TCP4 192.0.2.7 198.51.100.1 56324 25")).isEqualTo(client("192.0.2.7"));
        assertThat(ProxyHeader.line("PROXY TCP6 2001:db8::7 2001:db8::1 56324 25")).isEqualTo(client("2001:db8::7"));
        assertThat(ProxyHeader.line("PROXY UNKNOWN")).isEqualTo(new ProxyHeader.ProxyResult.Itself());
        assertThat(ProxyHeader.line("PROXY UNKNOWN ffff:f::1 ffff::1 65535 65535"))
                .isEqualTo(new ProxyHeader.ProxyResult.Itself());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "PROXY", "PROXY TCP4", "proxy TCP4 192.0.2.7 198.51.100.1 1 2", "PROXY TCP5 1 2 3 4",
            "PROXY TCP4 192.0.2.7 198.51.100.1 1", "PROXY TCP4 192.0.2.7 198.51.100.1 1 2 3",
            "PROXY TCP4 192.0.2.7 198.51.100.1 65536 2", "PROXY TCP4 192.0.2.7 198.51.100.1 01 2",
            "PROXY TCP4 192.0.2.256 198.51.100.1 1 2", "PROXY TCP4 far.example 198.51.100.1 1 2",
            "PROXY TCP4 2001:db8::7 2001:db8::1 1 2", "PROXY TCP6 192.0.2.7 198.51.100.1 1 2",
            "PROXY  TCP4 192.0.2.7 198.51.100.1 1 2"})
    void badLines(String line) {
        assertThat(ProxyHeader.line(line)).isEqualTo(new ProxyHeader.ProxyResult.Malformed());
    }

    @Test
    void binary() {
        assertThat(binary("2111000c" + "c0000207" + "c6336401" + "dc04" + "0019")).isEqualTo(client("192.0.2.7"));
        assertThat(binary("21110010" + "c0000207" + "c6336401" + "dc04" + "0019" + "04000100"))
                .as("what follows the addresses is skipped").isEqualTo(client("192.0.2.7"));
        assertThat(binary("21210024" + "20010db8000000000000000000000007" + "20010db8000000000000000000000001" + "dc04"
                + "0019")).isEqualTo(client("2001:db8::7"));
        assertThat(binary("20000000")).as("a health check").isEqualTo(new ProxyHeader.ProxyResult.Itself());
        assertThat(binary("21000000")).isEqualTo(new ProxyHeader.ProxyResult.Itself());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1111000c", "2211000c", "21110004c0000207", "2112000c", "21310000"})
    void badBinary(String hex) {
        assertThat(binary(hex)).isEqualTo(new ProxyHeader.ProxyResult.Malformed());
    }

    @Test
    void anyBytesAreAnswered() {
        long seed = System.nanoTime();
        RandomGenerator random = new java.util.Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] header = new byte[16 + random.nextInt(60)];
            random.nextBytes(header);
            header[12] = random.nextBoolean() ? 0x21 : header[12];
            header[13] = (byte) (random.nextBoolean() ? 0x11 + 0x10 * random.nextInt(2) : header[13]);
            assertThat(ProxyHeader.binary(header)).as("seed %d", seed).isNotNull();
        }
    }

    private static ProxyHeader.ProxyResult binary(String hex) {
        byte[] header = HexFormat.of().parseHex(SIGNATURE + hex);
        assertThat(ProxyHeader.isBinary(header)).isTrue();
        assertThat(ProxyHeader.isLine(header)).isFalse();
        return ProxyHeader.binary(header);
    }

    private static ProxyHeader.ProxyResult client(String address) {
        return new ProxyHeader.ProxyResult.Client(InetAddress.ofLiteral(address), 56324);
    }
}
