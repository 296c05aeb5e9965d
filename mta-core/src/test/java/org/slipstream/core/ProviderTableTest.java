package org.slipstream.core;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.ProviderTable.Provider;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ProviderTableTest {
    private static final ProviderTable SHIPPED = ProviderTable.shipped();

    private static Provider provider(String name, String... hosts) {
        return new Provider(name, List.of(hosts), List.of());
    }

    private static Optional<String> ofHost(ProviderTable table, String host) {
        return table.ofHost(host, Optional.empty());
    }

    @ParameterizedTest
    @CsvSource({"gmail-smtp-in.l.google.com, google", "ASPMX.L.Google.COM., google",
            "far-example.mail.protection.outlook.com, microsoft365",
            "hotmail-com.olc.protection.outlook.com, outlook", "mta5.am0.yahoodns.net, yahoo",
            "mx01.mail.icloud.com, icloud", "mx-ha02.web.de, gmx", "mx00.ionos.de, ionos", "mxs.mail.ru, mailru",
            "mxa-00123.gslb.pphosted.com, proofpoint", "eu-smtp-inbound-1.mimecast.com, mimecast",
            "d1.ess.barracudanetworks.com, barracuda", "mx1.mail.ovh.net, ovh", "smtp-in.orange.fr, orange"})
    void aLargeProviderIsKnownByItsHosts(String host, String provider) {
        assertThat(ofHost(SHIPPED, host)).contains(provider);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mx.far.example", "google.com", "notgoogle.com", "google.com.far.example", "", ".",
            ".google.com", "192.0.2.1", "::1", "mx.protection.outlook.com.example"})
    void aHostThatOnlyResemblesOneBelongsToNone(String host) {
        assertThat(ofHost(SHIPPED, host)).isEmpty();
    }

    @Test
    void aNameWithAThousandLabelsIsAnsweredAtOnce() {
        assertThat(ofHost(SHIPPED, "a.".repeat(1_000) + "google.com")).contains("google");
    }

    @Test
    void theBestHostsTellTheProviderOfARoute() {
        Route behind = new Route.Smtp("far.example", List.of(new Route.Host("mx.far.example", 25, 10),
                new Route.Host("b.pphosted.com", 25, 10), new Route.Host("aspmx.l.google.com", 25, 20)));
        Route own = new Route.Smtp("far.example", List.of(new Route.Host("mx.far.example", 25, 10),
                new Route.Host("aspmx.l.google.com", 25, 20)));

        assertThat(SHIPPED.of(behind)).contains("proofpoint");
        assertThat(SHIPPED.of(own)).isEmpty();
        assertThat(SHIPPED.of(new Route.Lmtp("aspmx.l.google.com:24"))).isEmpty();
    }

    @Test
    void anAddressTellsTheProviderOfAHostThatNoSuffixKnows() {
        ProviderTable table = SHIPPED.with(List.of(new Provider("big", List.of(),
                List.of(Network.parse("192.0.2.0/24").orElseThrow()))));

        assertThat(table.of(new Route.Smtp("[192.0.2.7]:25", List.of(new Route.Host("192.0.2.7", 25, 0)))))
                .contains("big");
        assertThat(table.ofHost("mx.far.example", Optional.of("192.0.2.7"))).contains("big");
        assertThat(table.ofHost("aspmx.l.google.com", Optional.of("192.0.2.7"))).contains("google");
        assertThat(table.ofHost("mx.far.example", Optional.of("192.0.3.7"))).isEmpty();
        assertThat(table.ofHost("mx.far.example", Optional.of("no address"))).isEmpty();
    }

    @Test
    void anOperatorExtendsAndSwitchesOff() {
        ProviderTable table = SHIPPED.with(List.of(provider("google", "*.Big.example", "mx.one.example"),
                provider("zz", ".yahoodns.net"))).without(List.of("icloud"));

        assertThat(ofHost(table, "a.big.example")).contains("google");
        assertThat(ofHost(table, "mx.one.example")).contains("google");
        assertThat(ofHost(table, "b.mx.one.example")).isEmpty();
        assertThat(ofHost(table, "aspmx.l.google.com")).contains("google");
        assertThat(ofHost(table, "mx01.mail.icloud.com")).isEmpty();
        assertThat(ofHost(SHIPPED.with(List.of(provider("zz", ".yahoodns.net"))), "mta5.am0.yahoodns.net"))
                .contains("zz");
    }

    @Test
    void tablesHaveBounds() {
        String[] most = IntStream.range(0, ProviderTable.MOST_NAMES).mapToObj(i -> ".h" + i + ".example")
                .toArray(String[]::new);
        int room = ProviderTable.MOST_PROVIDERS - SHIPPED.providers().size();
        List<Provider> full = IntStream.range(0, room).mapToObj(i -> provider("p" + i, ".p" + i + ".example")).toList();

        assertThat(provider("big", most).hosts()).hasSize(64);
        assertThat(SHIPPED.with(full).providers()).hasSize(256);
        assertThatIllegalArgumentException().isThrownBy(
                () -> SHIPPED.with(List.of(provider("google", most)))).withMessageContaining("more than 64");
        assertThatIllegalArgumentException().isThrownBy(
                () -> SHIPPED.with(full).with(List.of(provider("one-more", ".x.example"))))
                .withMessageContaining("at most 256");
    }

    @ParameterizedTest
    @ValueSource(strings = {"other", "Google", "a b", "", "-a", "a.b"})
    void aNameIsAWord(String name) {
        assertThatIllegalArgumentException().isThrownBy(() -> provider(name)).withMessageContaining("small letters");
    }

    @ParameterizedTest
    @ValueSource(strings = {".com", "com", "*", "mx:.example.org", "a b.example", "", "."})
    void aSuffixHasTwoLabels(String host) {
        assertThatIllegalArgumentException().isThrownBy(() -> provider("big", host)).withMessageContaining("suffix");
    }
}
