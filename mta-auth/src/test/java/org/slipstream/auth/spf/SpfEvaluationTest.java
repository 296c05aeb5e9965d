package org.slipstream.auth.spf;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.auth.TextZone;
import org.slipstream.core.Address;
import org.slipstream.core.dns.DnsLookup;

import java.net.InetAddress;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The zone and the records of RFC 7208 appendix A, and the limits of section 4.6.4.
class SpfEvaluationTest {
    private static final String ZONE = """
            example.com MX 10 mail-a.example.com
            example.com MX 20 mail-b.example.com
            example.com A 192.0.2.10
            example.com A 192.0.2.11
            amy.example.com A 192.0.2.65
            bob.example.com A 192.0.2.66
            mail-a.example.com A 192.0.2.129
            mail-b.example.com A 192.0.2.130
            example.org MX 10 mail-c.example.org
            mail-c.example.org A 192.0.2.140
            10.2.0.192.in-addr.arpa PTR example.com
            65.2.0.192.in-addr.arpa PTR amy.example.com
            140.2.0.192.in-addr.arpa PTR mail-c.example.org
            4.0.0.10.in-addr.arpa PTR bob.example.com
            mobile-users._spf.example.com A 127.0.0.2
            10.2.0.192.in-addr._spf.example.com A 127.0.0.2
            pass.example TXT v=spf1 +all
            fail.example TXT v=spf1 -all
            neutral.example TXT v=spf1 ?all
            broken.example TXT v=spf1 nonsense
            loop.example TXT v=spf1 include:loop.example -all
            two.example TXT v=spf1 -all
            two.example TXT v=spf1 +all
            silent.example TXT !
            six.example AAAA 2001:db8::25
            """;

    @ParameterizedTest
    @CsvSource({
            // Appendix A.1
            "+all, 203.0.113.1, PASS", "a -all, 192.0.2.10, PASS", "a -all, 192.0.2.11, PASS",
            "a -all, 192.0.2.12, FAIL", "a:example.org -all, 192.0.2.140, FAIL", "mx -all, 192.0.2.129, PASS",
            "mx -all, 192.0.2.130, PASS", "mx -all, 192.0.2.10, FAIL", "mx:example.org -all, 192.0.2.140, PASS",
            "mx mx:example.org -all, 192.0.2.140, PASS", "mx/30 mx:example.org/30 -all, 192.0.2.131, PASS",
            "mx/30 mx:example.org/30 -all, 192.0.2.143, PASS", "mx/30 mx:example.org/30 -all, 192.0.2.144, FAIL",
            "ptr -all, 192.0.2.10, PASS", "ptr -all, 192.0.2.65, PASS", "ptr -all, 192.0.2.140, FAIL",
            "ptr -all, 10.0.0.4, FAIL", "ip4:192.0.2.128/28 -all, 192.0.2.65, FAIL",
            "ip4:192.0.2.128/28 -all, 192.0.2.129, PASS",
            // Appendix A.3 and A.4
            "exists:%{ir}.%{v}._spf.%{d} -all, 192.0.2.10, PASS", "exists:%{ir}.%{v}._spf.%{d} -all, 192.0.2.11, FAIL",
            "exists:%{l1r+}-users._spf.%{d} -all, 203.0.113.1, PASS",
            // Sections 5.2, 6.1: the table of include, and redirect
            "include:pass.example -all, 203.0.113.1, PASS", "include:fail.example ~all, 203.0.113.1, SOFTFAIL",
            "include:neutral.example -all, 203.0.113.1, FAIL", "include:broken.example -all, 203.0.113.1, PERMERROR",
            "include:nowhere.example -all, 203.0.113.1, PERMERROR",
            "include:silent.example -all, 203.0.113.1, TEMPERROR",
            "redirect=pass.example, 203.0.113.1, PASS", "redirect=nowhere.example, 203.0.113.1, PERMERROR",
            "-all redirect=pass.example, 203.0.113.1, FAIL", "include:two.example, 203.0.113.1, PERMERROR",
            // Section 4.7: the default
            "ip4:192.0.2.1, 203.0.113.1, NEUTRAL",
            "include:loop.example -all, 203.0.113.1, PERMERROR",
            "a:n1.example a:n2.example a:n3.example -all, 203.0.113.1, PERMERROR",
            "a:n1.example a:n2.example -all, 203.0.113.1, FAIL",
            "a:six.example -all, 2001:db8::25, PASS", "a:six.example//64 -all, 2001:db8::1, PASS",
            "a:six.example/24 -all, 2001:db8::1, FAIL", "ip4:192.0.2.0/24 -all, 2001:db8::25, FAIL"})
    void ofTheRfc(String terms, String address, SpfResult expected) {
        var zone = TextZone.of(ZONE + "example.com TXT v=spf1 " + terms);
        assertThat(check(zone, address).result()).isEqualTo(expected);
    }

    @Test
    void aDomainWithoutARecordHasNoResult() {
        assertThat(check(TextZone.of("example.com TXT other text"), "192.0.2.1").result())
                .isEqualTo(SpfResult.NONE);
        assertThat(check(TextZone.of("example.com TXT !"), "192.0.2.1").result())
                .isEqualTo(SpfResult.TEMPERROR);
    }

    @Test
    void theEleventhLookupIsAnError() {
        assertThat(check(hosts(10), "192.0.2.10").result()).isEqualTo(SpfResult.PASS);
        assertThat(check(hosts(11), "192.0.2.11").result()).isEqualTo(SpfResult.PERMERROR);
    }

    /// The last one has the address that is asked about.
    private static TextZone hosts(int count) {
        var terms = IntStream.rangeClosed(1, count).mapToObj(i -> "a:h" + i + ".example")
                .collect(Collectors.joining(" "));
        var addresses = IntStream.rangeClosed(1, count).mapToObj(i -> "h" + i + ".example A 192.0.2." + i)
                .collect(Collectors.joining("\n"));
        return TextZone.of("example.com TXT v=spf1 " + terms + " -all\n" + addresses);
    }

    @Test
    void moreThanTenExchangersAreAnError() {
        var exchangers = IntStream.rangeClosed(1, 11).mapToObj(i -> "example.com MX 10 h" + i + ".example")
                .collect(Collectors.joining("\n"));
        assertThat(check(TextZone.of("example.com TXT v=spf1 mx -all\n" + exchangers), "192.0.2.1").result())
                .isEqualTo(SpfResult.PERMERROR);
    }

    private static SpfVerdict check(DnsLookup zone, String address) {
        return SpfEvaluation.check(zone, SpfQuestion.ofSender(InetAddress.ofLiteral(address),
                Address.parse("mobile+x@example.com"), "mx.example.com", "mx.example.org", Instant.EPOCH));
    }
}
