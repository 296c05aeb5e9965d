package org.slipstream.auth.spf;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.auth.spf.SpfRecord.Qualifier;
import org.slipstream.auth.spf.SpfRecord.SpfDirective;
import org.slipstream.auth.spf.SpfRecord.SpfMechanism;
import org.slipstream.core.Network;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class SpfRecordTest {
    @Test
    void eachTermIsRead() {
        assertThat(good("v=spf1 +a mx/30 -a:offsite.example.com/24//64 ~ip4:192.0.2.0/24 ?ip6:2001:db8::/32"
                + " include:%{d2}.example.net exists:%{ir}.%{v}._spf.%{d} ptr:other.example Redirect=_spf.example.com"
                + " exp=explain._spf.%{d} unknown-thing=%{s}x"))
                .isEqualTo(new SpfRecord(List.of(
                        directive(Qualifier.PASS, new SpfMechanism.A(Optional.empty(), 32, 128), "+a"),
                        directive(Qualifier.PASS, new SpfMechanism.Mx(Optional.empty(), 30, 128), "mx/30"),
                        directive(Qualifier.FAIL, new SpfMechanism.A(Optional.of(macro("offsite.example.com")), 24, 64),
                                "-a:offsite.example.com/24//64"),
                        directive(Qualifier.SOFT_FAIL,
                                new SpfMechanism.Ip(Network.parse("192.0.2.0/24").orElseThrow()),
                                "~ip4:192.0.2.0/24"),
                        directive(Qualifier.NEUTRAL,
                                new SpfMechanism.Ip(Network.parse("2001:db8::/32").orElseThrow()),
                                "?ip6:2001:db8::/32"),
                        directive(Qualifier.PASS, new SpfMechanism.Include(macro("%{d2}.example.net")),
                                "include:%{d2}.example.net"),
                        directive(Qualifier.PASS, new SpfMechanism.Exists(macro("%{ir}.%{v}._spf.%{d}")),
                                "exists:%{ir}.%{v}._spf.%{d}"),
                        directive(Qualifier.PASS, new SpfMechanism.Ptr(Optional.of(macro("other.example"))),
                                "ptr:other.example")),
                        Optional.of(macro("_spf.example.com")), Optional.of(macro("explain._spf.%{d}"))));
    }

    private static MacroText macro(String text) {
        return MacroText.parse(text, MacroText.LETTERS).orElseThrow();
    }

    private static SpfDirective directive(Qualifier qualifier, SpfMechanism mechanism, String text) {
        return new SpfDirective(qualifier, mechanism, text);
    }

    private static SpfRecord good(String text) {
        assertThat(SpfRecord.isSpf(text)).isTrue();
        return ((SpfRecord.SpfParse.Good) SpfRecord.parse(text)).record();
    }

    @ParameterizedTest
    @ValueSource(strings = {"v=spf1", "V=SPF1 -ALL", "v=spf1  mx   -all ", "v=spf1 a//64 -all", "v=spf1 mx/0//0",
            "v=spf1 exists:%{l1r-}.%{d}", "v=spf1 a:%{d}", "v=spf1 a:_host.example.com.", "v=spf1 ip4:192.0.2.1",
            "v=spf1 a:1-host.xn--fiqs8s", "v=spf1 x=%%%_%-", "v=spf1 include:a/b.example"})
    void valid(String text) {
        assertThat(SpfRecord.isSpf(text)).isTrue();
        assertThat(SpfRecord.parse(text)).isInstanceOf(SpfRecord.SpfParse.Good.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v=spf1 all:x", "v=spf1 -all.", "v=spf1 include", "v=spf1 include:", "v=spf1 ip4",
            "v=spf1 ip4:192.0.2", "v=spf1 ip4:192.0.2.256", "v=spf1 ip4:192.0.2.0/33", "v=spf1 ip4:192.0.2.0/024",
            "v=spf1 ip4:2001:db8::", "v=spf1 ip6:192.0.2.1", "v=spf1 ip6:2001:db8::/129", "v=spf1 a/33",
            "v=spf1 a/24/64",
            "v=spf1 a//129", "v=spf1 a:", "v=spf1 a:localhost", "v=spf1 a:example.1", "v=spf1 a:example.com-",
            "v=spf1 mx:%{d", "v=spf1 mx:%{z}", "v=spf1 exists:%{c}.example", "v=spf1 exists:%{d0}",
            "v=spf1 redirect=a.example redirect=b.example", "v=spf1 exp=a.example exp=b.example",
            "v=spf1 redirect=", "v=spf1 -redirect=a.example", "v=spf1 mx,-all", "v=spf1 ipv4:192.0.2.1",
            "v=spf1 x=100%", "v=spf1 --all", "v=spf1 \"mx\"", "v=spf1 =x", "v=spf1 all/8"})
    void invalid(String text) {
        assertThat(SpfRecord.parse(text)).isInstanceOf(SpfRecord.SpfParse.Wrong.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v=spf10 -all", "v=spf1-all", " v=spf1 -all", "spf2.0/pra -all", "v=spf2"})
    void otherTextsAreNotSpf(String text) {
        assertThat(SpfRecord.isSpf(text)).isFalse();
    }
}
