package org.slipstream.smtpout.host;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.smtpout.host.HostFinder.HostAnswer;
import org.slipstream.testkit.StubDns;
import org.xbill.DNS.hosts.HostsFileParser;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class DnsHostFinderTest {
    @TempDir
    private Path dir;
    private final StubDns stub = StubDns.of("""
            both    IN A 192.0.2.1
            both    IN A 192.0.2.2
            both    IN AAAA 2001:db8::1
            four    IN A 192.0.2.4
            six     IN AAAA 2001:db8::6
            alias   IN CNAME four
            text    IN TXT "no address"
            x.long  IN A 192.0.2.77
            xn--mller-kva IN A 192.0.2.8
            """).fails("servfail.example").isSilentAbout("silent.example").truncates("long.example");

    @AfterEach
    void stop() {
        stub.close();
    }

    @Test
    void bothFamiliesAreFound() throws IOException {
        assertThat(addresses("both.example")).containsExactlyInAnyOrder("192.0.2.1", "192.0.2.2",
                "2001:db8:0:0:0:0:0:1");
        assertThat(addresses("four.example")).containsExactly("192.0.2.4");
        assertThat(addresses("six.example")).containsExactly("2001:db8:0:0:0:0:0:6");
        assertThat(addresses("alias.example")).containsExactly("192.0.2.4");
        assertThat(addresses("FOUR.Example.")).containsExactly("192.0.2.4");
    }

    @Test
    void namesInOtherScripts() throws IOException {
        assertThat(addresses("müller.example")).containsExactly("192.0.2.8");
    }

    @Test
    void literalsNeedNoLookup() throws IOException {
        assertThat(addresses("192.0.2.99")).containsExactly("192.0.2.99");
        assertThat(addresses("2001:db8::99")).containsExactly("2001:db8:0:0:0:0:0:99");
        assertThat(stub.questions()).isEmpty();
    }

    @Test
    void theHostsFileComesFirstAndAlone() throws IOException {
        Files.writeString(dir.resolve("hosts"), "10.1.1.1 four.example relay\n");
        assertThat(addresses("four.example")).containsExactly("10.1.1.1");
        assertThat(addresses("relay")).containsExactly("10.1.1.1");
        assertThat(stub.questions()).isEmpty();
    }

    @Test
    void aLongAnswerComesOverTcp() throws IOException {
        assertThat(addresses("x.long.example")).containsExactly("192.0.2.77");
        assertThat(stub.questions()).contains("x.long.example A TCP");
    }

    @Test
    void answersAreRemembered() throws IOException {
        DnsHostFinder finder = finder();
        finder.find("both.example");
        finder.find("none.example");
        int asked = stub.questions().size();
        finder.find("both.example");
        finder.find("none.example");
        assertThat(stub.questions()).hasSize(asked);
    }

    @Test
    void aMissingHostIsNoTrouble() throws IOException {
        assertThat(finder().find("none.example")).isEqualTo(new HostAnswer.None("host not found"));
        assertThat(finder().find("text.example")).isEqualTo(new HostAnswer.None("host has no address"));
        assertThat(finder().find("no..name")).isInstanceOf(HostAnswer.None.class);
        assertThat(finder().find("x".repeat(70) + ".example")).isInstanceOf(HostAnswer.None.class);
    }

    @Test
    void serversThatFailOrAreSilentAreTrouble() throws IOException {
        assertThat(finder().find("a.servfail.example")).isInstanceOf(HostAnswer.Trouble.class);
        assertThat(finder(Duration.ofMillis(300)).find("a.silent.example")).isInstanceOf(HostAnswer.Trouble.class);
    }

    private List<String> addresses(String host) throws IOException {
        HostAnswer answer = finder().find(host);
        assertThat(answer).isInstanceOf(HostAnswer.Found.class);
        return ((HostAnswer.Found) answer).addresses().stream().map(InetAddress::getHostAddress).toList();
    }

    private DnsHostFinder finder() throws IOException {
        return finder(Duration.ofSeconds(10));
    }

    private DnsHostFinder finder(Duration timeout) throws IOException {
        Path hosts = dir.resolve("hosts");
        if (!Files.exists(hosts)) {
            Files.writeString(hosts, "127.0.0.1 localhost\n");
        }
        Dns dns = new Dns(stub.servers(), timeout, timeout.multipliedBy(3));
        return new DnsHostFinder(dns, new HostsFileParser(hosts));
    }
}
