package org.slipstream.local.address;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class SrsTest {
    private static final String SECRET = "pepper and salt";
    /// 27 November 2026.
    private static final long NOW = 1_795_762_152_000L;
    private static final long DAY = TimeUnit.DAYS.toMillis(1);

    private static Srs srs(long now, String... secrets) {
        return new Srs("here.example", List.of(secrets), () -> now);
    }

    private static Srs srs() {
        return srs(NOW, SECRET);
    }

    private static Optional<Address> original(String local) {
        return srs().original(new Address(local, "here.example"));
    }

    /// Made by postsrsd 1.10 of Debian with the same secret on the same day.
    @ParameterizedTest
    @CsvSource({"Ann.Lee@Far.Example, SRS0=gD9E=JQ=Far.Example=Ann.Lee@here.example",
            "a=b+c@far.example, SRS0=pLgn=JQ=far.example=a=b+c@here.example",
            "SRS0=abcd=TT=far.example=ann@first.example, SRS1=Lt9r=first.example==abcd=TT=far.example=ann@here.example",
            "SRS0+abcd=TT=far.example=ann@first.example, SRS1=nGRM=first.example=+abcd=TT=far.example=ann@here.example",
            "SRS1=wxyz=first.example==abcd=TT=far.example=ann@second.example, "
                    + "SRS1=Lt9r=first.example==abcd=TT=far.example=ann@here.example",
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx@a-rather-long-domain.example, "
                    + "SRS0=qowx=JQ=a-rather-long-domain.example="
                    + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx@here.example"})
    void theSenderIsThatOfPostsrsd(String sender, String rewritten) {
        assertThat(srs().forwarded(Address.of(sender))).hasToString("Optional[" + rewritten + "]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ann@far.example", "Ann.Lee@Far.Example", "a=b+c=d-e@far.example", "\"john doe\"@far.example",
                    "\"a@b\"@far.example", "\"a\\\"b\\\\\"@far.example", "grün@größe.example", "ann@[192.0.2.7]",
                    "SRS0=short@far.example", "srs0=abcd=tt=far.example=ann@first.example",
                    "SRS1=only@far.example", "SRS10=x@far.example"})
    void aBounceFindsTheOriginalSender(String sender) {
        Address rewritten = srs().forwarded(Address.of(sender)).orElseThrow();
        assertThat(Address.parse(rewritten.toString())).as("it is written as an address").contains(rewritten);
        assertThat(srs().claims(rewritten)).isTrue();
        Address back = srs().original(rewritten).orElseThrow();
        // Behind another forwarder its tag is written in capitals, which no program distinguishes.
        assertThat(back.toString()).isEqualToIgnoringCase(sender);
    }

    @Test
    void behindASecondForwarderTheBounceGoesToTheFirst() {
        Address second = srs().forwarded(Address.of("SRS1=wxyz=first.example==abcd=TT=far.example=ann@second.example"))
                .orElseThrow();
        assertThat(srs().original(second)).contains(Address.of("SRS0=abcd=TT=far.example=ann@first.example"));
    }

    @Test
    void hostsOnTheWayMayChangeCase() {
        Address rewritten = srs().forwarded(Address.of("ann@far.example")).orElseThrow();
        assertThat(original(rewritten.localPart().toLowerCase(java.util.Locale.ROOT)))
                .contains(Address.of("ann@far.example"));
        assertThat(original(rewritten.localPart().toUpperCase(java.util.Locale.ROOT))).map(Address::key)
                .contains("ANN@far.example");
    }

    @Test
    void anAddressIsValidForTwentyOneDays() {
        Address rewritten = srs().forwarded(Address.of("ann@far.example")).orElseThrow();
        assertThat(srs(NOW + 21 * DAY, SECRET).original(rewritten)).isPresent();
        assertThat(srs(NOW + 22 * DAY, SECRET).original(rewritten)).isEmpty();
        assertThat(srs(NOW - DAY, SECRET).original(rewritten)).as("of tomorrow").isEmpty();
        long lastDay = (1_024 * 20 + 1_023) * DAY;
        Address late = srs(lastDay, SECRET).forwarded(Address.of("ann@far.example")).orElseThrow();
        assertThat(srs(lastDay + 5 * DAY, SECRET).original(late)).as("the count of days begins again").isPresent();
    }

    @Test
    void aSecretIsReplacedWhileBouncesAreUnderWay() {
        Address old = srs().forwarded(Address.of("ann@far.example")).orElseThrow();
        assertThat(srs(NOW, "new", SECRET).original(old)).isPresent();
        assertThat(srs(NOW, "new", SECRET).forwarded(Address.of("ann@far.example"))).isPresent().get()
                .isNotEqualTo(old);
        assertThat(srs(NOW, "new").original(old)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SRS0=gD9F=JQ=Far.Example=Ann.Lee", "SRS0=gD9E=JR=Far.Example=Ann.Lee",
            "SRS0=gD9E=JQ=Far.Example=Ann.Lea", "SRS0=gD9E=JQ=Fax.Example=Ann.Lee", "SRS0=gD9=JQ=Far.Example=Ann.Lee",
            "SRS0==JQ=Far.Example=Ann.Lee", "SRS0=g=JQ=Far.Example=Ann.Lee", "SRS0=gD9E=J=Far.Example=Ann.Lee",
            "SRS0=gD9E=JQ=Far.Example", "SRS0=gD9E", "SRS0=", "SRS0====", "SRS0=gD9E====", "SRS1=", "SRS1===",
            "SRS1=Lt9r=first.example", "SRS1=Lt9s=first.example==abcd=TT=far.example=ann",
            "SRS1=gD9E=JQ=Far.Example=Ann.Lee"})
    void aForgedAddressIsUnknown(String local) {
        assertThat(srs().claims(new Address(local, "here.example"))).isTrue();
        assertThat(original(local)).isEmpty();
    }

    @Test
    void otherNamesAreNoneOfThese() {
        for (String other : List.of("SRS0@here.example", "SRS2=a=b=c=d@here.example", "srs@here.example",
                "SRS0x=a@here.example", "SRS0=a=b=c=d@second.example")) {
            assertThat(srs().claims(Address.of(other))).as(other).isFalse();
        }
    }

    @Test
    void aSenderThatDoesNotFitStays() {
        assertThat(srs().forwarded(Address.of("x".repeat(64) + "@" + "y".repeat(60) + ".example"))).isPresent();
        String long254 = "x".repeat(64) + "@" + ("y".repeat(60) + ".").repeat(3) + "example";
        assertThat(srs().forwarded(Address.of(long254))).isEmpty();
        assertThat(srs().forwarded(new Address("ann", "[a=b]"))).isEmpty();
    }

    @Test
    @Timeout(60)
    void longAndStrangeLocalPartsCostLittle() {
        for (String odd : List.of("=".repeat(65_536), "x".repeat(65_536), "SRS0=".repeat(13_000),
                "gD9E=JQ=" + "x".repeat(65_536), "é".repeat(30_000))) {
            for (String tag : List.of("SRS0=", "SRS1=")) {
                assertThat(original(tag + odd)).isEmpty();
                assertThat(srs().forwarded(new Address(tag + odd, "far.example"))).isEmpty();
            }
        }
    }

    /// Each guess costs a refused recipient, and a session has few of these.
    @Test
    @Timeout(60)
    void aHundredThousandGuessesFindLittle() {
        long found = 0;
        for (int guess = 0; guess < 100_000; guess++) {
            String hash = String.format("%4s", Integer.toString(guess, 36)).replace(' ', 'a');
            found += original("SRS0=" + hash + "=JQ=victim.example=ann").isPresent() ? 1 : 0;
        }
        assertThat(found).isLessThanOrEqualTo(1);
    }
}
