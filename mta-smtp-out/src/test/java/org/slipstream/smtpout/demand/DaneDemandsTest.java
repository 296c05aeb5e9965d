package org.slipstream.smtpout.demand;

import org.junit.jupiter.api.Test;
import org.slipstream.auth.dane.TlsaRecord;
import org.slipstream.core.Route;
import org.slipstream.core.TlsDemand;
import org.slipstream.smtpout.host.SecureDns.DnsTrust;
import org.slipstream.smtpout.host.SecureDns.SecureAnswer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The rules that reviews of other mail servers found broken most often.
class DaneDemandsTest {
    private static final String KEY = "3 1 1 " + "ab".repeat(32);
    private static final String AUTHORITY = "2 0 1 " + "cd".repeat(32);
    private static final Route.Host HOST = new Route.Host("mx.a.example", 25, 10);

    private final Map<String, SecureAnswer> answers = new HashMap<>();
    private final List<String> asked = new ArrayList<>();

    private DaneDemandsTest with(String name, String type, DnsTrust trust, String... texts) {
        return behind(name, type, name, trust, texts);
    }

    private DaneDemandsTest behind(String name, String type, String owner, DnsTrust trust, String... texts) {
        answers.put(name + " " + type, new SecureAnswer(trust, List.of(texts), owner));
        return this;
    }

    private DaneDemandsTest secureHost() {
        return with("a.example", "MX", DnsTrust.SECURE, "10 mx.a.example").with("mx.a.example", "A", DnsTrust.SECURE,
                "192.0.2.1");
    }

    private DaneDemandsTest tlsa(DnsTrust trust, String... texts) {
        return with("_25._tcp.mx.a.example", "TLSA", trust, texts);
    }

    private DaneDemands.Demanded decide(Route.Host... hosts) {
        return new DaneDemands((name, type) -> {
            asked.add(name + " " + type);
            return answers.getOrDefault(name + " " + type, new SecureAnswer(DnsTrust.SECURE, List.of(), name));
        }).of("a.example", List.of(hosts));
    }

    private TlsDemand demand() {
        DaneDemands.Demanded demanded = decide(HOST);
        assertThat(demanded.hosts()).hasSize(1);
        return demanded.hosts().getFirst().demand();
    }

    @Test
    void rule1ALookupThatFailsLeavesTheHostOutAndNeverLowersTheDemand() {
        assertThat(secureHost().tlsa(DnsTrust.FAILED).decide(HOST))
                .isEqualTo(new DaneDemands.Demanded(List.of(), List.of("mx.a.example")));
        answers.clear();
        assertThat(with("a.example", "MX", DnsTrust.FAILED).decide(HOST).hosts()).isEmpty();
        answers.clear();
        assertThat(secureHost().with("mx.a.example", "A", DnsTrust.FAILED).decide(HOST).hosts()).isEmpty();
    }

    @Test
    void rule2WithoutSecureExchangersNothingElseIsAsked() {
        assertThat(with("a.example", "MX", DnsTrust.INSECURE, "10 mx.a.example").demand()).isEqualTo(TlsDemand.NONE);
        assertThat(asked).containsExactly("a.example MX");
    }

    @Test
    void rule2BehindInsecureAddressesTlsaIsNotAskedFor() {
        secureHost().with("mx.a.example", "A", DnsTrust.INSECURE, "192.0.2.1").tlsa(DnsTrust.FAILED);
        assertThat(demand()).isEqualTo(TlsDemand.NONE);
        assertThat(asked).noneMatch(each -> each.endsWith("TLSA"));
    }

    @Test
    void rule2OneSecureAddressFamilySuffices() {
        secureHost().with("mx.a.example", "AAAA", DnsTrust.FAILED).tlsa(DnsTrust.SECURE, KEY);
        assertThat(demand()).isEqualTo(TlsDemand.dane(List.of("mx.a.example"), List.of(KEY)));
    }

    @Test
    void rule3ASecureAliasHasItsRecordsAtTheTargetOrElseAtItsOwnName() {
        secureHost().behind("mx.a.example", "A", "real.b.example", DnsTrust.SECURE, "192.0.2.1");
        with("_25._tcp.real.b.example", "TLSA", DnsTrust.SECURE, KEY);
        assertThat(demand().names()).containsExactly("real.b.example");
        with("_25._tcp.real.b.example", "TLSA", DnsTrust.SECURE).tlsa(DnsTrust.SECURE, KEY);
        assertThat(demand().names()).containsExactly("mx.a.example");
    }

    @Test
    void rule3AnAliasToAnInsecureZoneHasItsRecordsAtItsOwnNameWhenThatIsSigned() {
        secureHost().behind("mx.a.example", "A", "real.b.example", DnsTrust.INSECURE, "192.0.2.1");
        tlsa(DnsTrust.SECURE, KEY).with("mx.a.example", "CNAME", DnsTrust.SECURE, "real.b.example");
        assertThat(demand().names()).containsExactly("mx.a.example");
        with("mx.a.example", "CNAME", DnsTrust.INSECURE, "real.b.example");
        assertThat(demand()).isEqualTo(TlsDemand.NONE);
    }

    /// They wait in memory with the mail.
    @Test
    void ofVeryManyRecordsTheFirstCount() {
        String[] records = IntStream.range(0, 20).mapToObj(i -> "3 1 1 " + "%02x".formatted(i).repeat(32))
                .toArray(String[]::new);
        secureHost().tlsa(DnsTrust.SECURE, records);
        assertThat(demand().associations()).hasSize(16).contains(records[0]).doesNotContain(records[16]);
        assertThat(TlsaRecord.usable("2 0 0 " + "ab".repeat(4 * 1024))).isPresent();
        assertThat(TlsaRecord.usable("2 0 0 " + "ab".repeat(4 * 1024 + 1))).isEmpty();
    }

    @Test
    void rule4WithoutExchangersTheDomainItselfIsTheHost() {
        with("a.example", "MX", DnsTrust.SECURE).with("a.example", "A", DnsTrust.SECURE, "192.0.2.1")
                .with("_25._tcp.a.example", "TLSA", DnsTrust.SECURE, KEY);
        assertThat(decide(new Route.Host("a.example", 25, 0)).hosts().getFirst().demand().kind())
                .isEqualTo(TlsDemand.DemandKind.DANE);
    }

    @Test
    void rule5RecordsOfOtherUsagesAreUnusableAndDemandTlsOnly() {
        secureHost().tlsa(DnsTrust.SECURE, "0 0 1 " + "ab".repeat(32), "1 1 1 " + "ab".repeat(32), "3 1 1 abcd",
                "3 2 1 " + "ab".repeat(32), "3 1 9 " + "ab".repeat(32));
        assertThat(demand()).isEqualTo(TlsDemand.ENCRYPT);
        tlsa(DnsTrust.SECURE, "1 1 1 " + "ab".repeat(32), KEY);
        assertThat(demand().associations()).containsExactly(KEY);
    }

    @Test
    void rule6OnlyAnAuthorityNeedsNames() {
        secureHost().behind("mx.a.example", "A", "real.b.example", DnsTrust.SECURE, "192.0.2.1");
        with("_25._tcp.real.b.example", "TLSA", DnsTrust.SECURE, AUTHORITY);
        assertThat(demand().names()).containsExactly("real.b.example", "mx.a.example", "a.example");
    }

    @Test
    void rule7AHostWithoutRecordsAmongHostsWithThemIsUsed() {
        secureHost().tlsa(DnsTrust.SECURE, KEY).with("a.example", "MX", DnsTrust.SECURE, "10 mx.a.example",
                "20 mx2.a.example").with("mx2.a.example", "A", DnsTrust.SECURE, "192.0.2.2");
        assertThat(decide(HOST, new Route.Host("mx2.a.example", 25, 20)).hosts())
                .extracting(each -> each.demand().kind())
                .containsExactly(TlsDemand.DemandKind.DANE, TlsDemand.DemandKind.NONE);
    }

    @Test
    void rule8AHostThatTheSecureAnswerDoesNotNameIsLeftOut() {
        secureHost().tlsa(DnsTrust.SECURE, KEY);
        assertThat(decide(new Route.Host("old.a.example", 25, 10))).isEqualTo(
                new DaneDemands.Demanded(List.of(), List.of("old.a.example")));
    }
}
