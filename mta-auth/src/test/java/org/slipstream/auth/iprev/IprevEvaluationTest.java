package org.slipstream.auth.iprev;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.auth.TextZone;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class IprevEvaluationTest {
    private static final String ZONE = """
            1.2.0.192.in-addr.arpa PTR Mail.Example.org
            mail.example.org A 192.0.2.1
            2.2.0.192.in-addr.arpa PTR bank.example
            bank.example A 198.51.100.1
            3.2.0.192.in-addr.arpa PTR gone.example
            4.2.0.192.in-addr.arpa PTR !
            5.2.0.192.in-addr.arpa PTR silent.example
            silent.example A !
            7.2.0.192.in-addr.arpa PTR silent.example
            7.2.0.192.in-addr.arpa PTR seven.example
            seven.example A 192.0.2.7
            1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa PTR six.example
            six.example AAAA 2001:db8:0:0::1
            """;

    @ParameterizedTest
    @CsvSource({"192.0.2.1, PASS", "192.0.2.2, FAIL", "192.0.2.3, FAIL", "192.0.2.4, TEMPERROR",
            "192.0.2.5, TEMPERROR", "192.0.2.6, PERMERROR", "192.0.2.7, PASS", "2001:db8::1, PASS"})
    void results(String client, IprevResult expected) {
        assertThat(IprevEvaluation.check(TextZone.of(ZONE), InetAddress.ofLiteral(client)).result())
                .isEqualTo(expected);
    }

    @Test
    void theName() {
        var verdict = IprevEvaluation.check(TextZone.of(ZONE), InetAddress.ofLiteral("192.0.2.1"));
        assertThat(verdict.names()).containsExactly("mail.example.org");
    }

    @Test
    void tenNamesOfThousandsAreLookedAt() {
        List<String> asked = new ArrayList<>();
        DnsLookup dns = (name, type) -> {
            asked.add(name);
            return type == RecordType.PTR
                    ? new TextAnswer.Found(IntStream.range(0, 5_000).mapToObj(i -> "h" + i + ".example").toList())
                    : new TextAnswer.None(false);
        };
        assertThat(IprevEvaluation.check(dns, InetAddress.ofLiteral("192.0.2.1")).result())
                .isEqualTo(IprevResult.FAIL);
        assertThat(asked).hasSize(11);
    }
}
