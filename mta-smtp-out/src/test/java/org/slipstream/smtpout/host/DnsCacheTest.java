package org.slipstream.smtpout.host;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.StubDns;
import org.xbill.DNS.Type;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// The lifetime of answers, and the effect of a slow name server on other lookups.
class DnsCacheTest {
    private final StubDns stub = StubDns.of("""
            short   1    IN MX 10 mx
            long    3600 IN MX 10 mx
            """).fails("servfail.example").isSilentAbout("silent.example").truncates("long.example");
    private final Dns dns = new Dns(stub.servers(), Duration.ofSeconds(10), Duration.ofSeconds(30));

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void anAnswerIsBelievedAsLongAsItSays() {
        dns.ask("short.example", Type.MX);
        dns.ask("long.example", Type.MX);
        Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(100)).until(() -> {
            dns.ask("short.example", Type.MX);
            dns.ask("long.example", Type.MX);
            return asked("short.example MX") == 2;
        });
        assertThat(asked("long.example MX")).isEqualTo(1);
    }

    @Test
    void negativeAnswersAreCachedAsWell() {
        for (int i = 0; i < 3; i++) {
            assertThat(dns.ask("none.example", Type.MX)).isInstanceOf(Dns.DnsAnswer.NoDomain.class);
            assertThat(dns.ask("long.example", Type.AAAA)).isInstanceOf(Dns.DnsAnswer.NoRecords.class);
        }
        assertThat(asked("none.example MX")).isEqualTo(1);
        assertThat(asked("long.example AAAA")).isEqualTo(1);
    }

    @Test
    void troubleIsNotRemembered() {
        assertThat(dns.ask("x.servfail.example", Type.MX)).isInstanceOf(Dns.DnsAnswer.Trouble.class);
        long before = asked("x.servfail.example MX");
        assertThat(dns.ask("x.servfail.example", Type.MX)).isInstanceOf(Dns.DnsAnswer.Trouble.class);
        assertThat(asked("x.servfail.example MX")).isGreaterThan(before);
    }

    @Test
    @Tag("FI-06")
    void whileADomainIsSilentOthersAreAnswered() {
        Dns hasty = new Dns(stub.servers(), Duration.ofSeconds(3), Duration.ofSeconds(9));
        dns.ask("short.example", Type.MX);
        CompletableFuture<Dns.DnsAnswer> silent = hasty.askAsync("x.silent.example", Type.MX);
        assertThat(dns.ask("long.example", Type.MX)).isInstanceOf(Dns.DnsAnswer.Found.class);
        assertThat(silent).isNotDone();
        assertThat(silent.orTimeout(90, TimeUnit.SECONDS).join()).isInstanceOf(Dns.DnsAnswer.Trouble.class);
    }

    private long asked(String question) {
        return stub.questions().stream().filter(question::equals).count();
    }

    @Test
    void aServerThatIsNotThereIsToldInTheWordsOfTheOperatingSystem() throws Exception {
        InetSocketAddress unused;
        try (DatagramSocket taken = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            unused = new InetSocketAddress(taken.getLocalAddress(), taken.getLocalPort());
        }
        Dns alone = new Dns(List.of(unused), Duration.ofMillis(300), Duration.ofMillis(900));
        assertThat(alone.ask("far.example", Type.MX)).isInstanceOfSatisfying(Dns.DnsAnswer.Trouble.class,
                trouble -> assertThat(trouble.reason()).doesNotContain("Exception").contains("Connection refused",
                        "(asked: 127.0.0.1:" + unused.getPort() + ")"));
    }
}
