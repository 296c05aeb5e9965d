package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.StubDns;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// `check --dns` from the command line to a name server on the wire.
class CheckDomainTest {
    private static final String ZONE = """
            example.test. IN MX 10 mail.example.test.
            mail.example.test. IN A 192.0.2.25
            25.2.0.192.in-addr.arpa. IN PTR mail.example.test.
            example.test. IN TXT "v=spf1 include:_spf.example.test -all"
            _spf.example.test. IN CNAME spf.provider.test.
            spf.provider.test. IN TXT "v=spf1 ip4:192.0.2.0/24 -all"
            s._domainkey.example.test. IN TXT "v=DKIM1; k=rsa; p=%s"
            _dmarc.example.test. IN TXT "v=DMARC1; p=reject"
            bad.test. IN MX 10 alias.bad.test.
            alias.bad.test. IN CNAME mail.example.test.
            """;

    @TempDir
    Path home;

    @Test
    void aGoodDomainEndsWithZeroAndALackWithOne() throws GeneralSecurityException {
        var maker = KeyPairGenerator.getInstance("RSA");
        maker.initialize(2048);
        var key = Base64.getEncoder().encodeToString(maker.generateKeyPair().getPublic().getEncoded());
        try (var dns = StubDns.of(ZONE.formatted(key))) {
            var good = check(dns, "example.test", "--selector", "s");
            assertThat(good.out()).contains("ok         mx ", "ok         ptr ", "by \"include:_spf.example.test\"",
                    "example.test: nothing is lacking").doesNotContain("no-answer");
            assertThat(good.exit()).isZero();
            var bad = check(dns, "bad.test");
            assertThat(bad.out()).contains("alias.bad.test is an alias (CNAME) of mail.example.test",
                    "_dmarc.bad.test. IN TXT \"v=DMARC1; p=none; rua=mailto:postmaster@bad.test\"");
            assertThat(bad.exit()).isEqualTo(1);
            assertThat(check(dns, "bad.test", "--json").out()).startsWith("{\"domain\":\"bad.test\"")
                    .contains("{\"subject\":\"mx\",\"level\":\"lacks\",", "\"record\":\"bad.test. IN MX 10 mail");
            dns.fails("example.test");
            assertThat(check(dns, "example.test").exit()).isEqualTo(1);
        }
    }

    private Console.Ran check(StubDns dns, String domain, String... more) {
        var all = new ArrayList<>(List.of("check", "--set", "hostname=mail.example.test", "--dns",
                domain, "--resolver", dns.address()));
        all.addAll(List.of(more));
        return new Console(home).run(all.toArray(String[]::new));
    }

    @Test
    void wrongUsageIsTold() {
        var console = new Console(home);
        for (var wrong : new String[][]{{"--dns", "no domain"}, {"--dns", "[192.0.2.1]"},
                {"--dns", "example.test", "--address", "mail.example.test"},
                {"--dns", "example.test", "--resolver", "192.0.2.53:99999"}, {"--resolver", "192.0.2.53"}}) {
            var all = new ArrayList<>(List.of("check"));
            all.addAll(List.of(wrong));
            var ran = console.run(all.toArray(String[]::new));
            assertThat(ran.exit()).as(ran.err()).isEqualTo(2);
            assertThat(ran.err().strip().lines()).hasSize(1);
        }
    }
}
