package org.slipstream.testkit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.Type;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The stub against an independent resolver.
class StubDnsTest {
    private final StubDns dns = StubDns.of("""
            many    IN MX 20 mx2
            many    IN MX 10 MX1
            mx1     300 IN A 192.0.2.1
            mx1     IN AAAA 2001:db8::1
            alias   IN CNAME many
            null    IN MX 0 .
            text    IN TXT "two words"
            x.below IN A 192.0.2.7
            """);

    @AfterEach
    void close() {
        dns.close();
    }

    private Message ask(String name, int type) throws IOException {
        SimpleResolver resolver = new SimpleResolver(dns.servers().getFirst());
        resolver.setTimeout(Duration.ofSeconds(60));
        return resolver.send(Message.newQuery(Record.newRecord(Name.fromString(name), type, DClass.IN)));
    }

    private List<String> answers(String name, int type) throws IOException {
        return ask(name, type).getSection(Section.ANSWER).stream().map(Record::rdataToString).toList();
    }

    @Test
    void recordsOfEachTypeAreAnswered() throws IOException {
        assertThat(answers("many.example.", Type.MX)).containsExactly("20 mx2.example.", "10 MX1.example.");
        assertThat(answers("MX1.Example.", Type.A)).containsExactly("192.0.2.1");
        assertThat(answers("mx1.example.", Type.AAAA)).containsExactly("2001:db8:0:0:0:0:0:1");
        assertThat(answers("null.example.", Type.MX)).containsExactly("0 .");
        assertThat(answers("text.example.", Type.TXT)).containsExactly("\"two words\"");
        assertThat(answers("alias.example.", Type.MX)).containsExactly("many.example.", "20 mx2.example.",
                "10 MX1.example.");
        assertThat(ask("mx1.example.", Type.A).getSection(Section.ANSWER).getFirst().getTTL()).isEqualTo(300);
        assertThat(dns.questions()).startsWith("many.example MX", "mx1.example A");
    }

    @Test
    void aNameThatDoesNotExistIsToldFromATypeThatDoesNot() throws IOException {
        Message none = ask("none.example.", Type.A);
        assertThat(none.getRcode()).isEqualTo(Rcode.NXDOMAIN);
        assertThat(none.getSection(Section.AUTHORITY)).as("to be cached").hasSize(1)
                .allMatch(record -> record.getType() == Type.SOA);
        for (String name : List.of("text.example.", "below.example.")) {
            Message empty = ask(name, Type.A);
            assertThat(empty.getRcode()).as(name).isEqualTo(Rcode.NOERROR);
            assertThat(empty.getSection(Section.ANSWER)).isEmpty();
        }
        assertThat(ask("mx1.example.", Type.TLSA).getRcode()).as("a type it does not know").isEqualTo(Rcode.NOERROR);
    }

    @Test
    void recordsCanBeAddedLater() throws IOException {
        dns.mx("new.test", 5, "mx.new.test").mx("closed.test", 0, ".").txt("new.test", "hello")
                .address("mx.new.test", InetAddress.ofLiteral("127.0.0.1"))
                .address("mx.new.test", InetAddress.ofLiteral("::1"));
        assertThat(answers("new.test.", Type.MX)).containsExactly("5 mx.new.test.");
        assertThat(answers("closed.test.", Type.MX)).containsExactly("0 .");
        assertThat(answers("new.test.", Type.TXT)).containsExactly("hello");
        assertThat(answers("mx.new.test.", Type.A)).containsExactly("127.0.0.1");
        assertThat(answers("mx.new.test.", Type.AAAA)).containsExactly("0:0:0:0:0:0:0:1");
    }

    @Test
    void aDomainCanFailAndRecover() throws IOException {
        dns.fails("example");
        assertThat(ask("mx1.example.", Type.A).getRcode()).isEqualTo(Rcode.SERVFAIL);
        assertThat(ask("none.test.", Type.A).getRcode()).isEqualTo(Rcode.NXDOMAIN);
        dns.recovers("example");
        assertThat(answers("mx1.example.", Type.A)).hasSize(1);
    }

    @Test
    void aDomainCanBeSilent() throws IOException {
        dns.isSilentAbout("mx1.example");
        SimpleResolver resolver = new SimpleResolver(dns.servers().getFirst());
        resolver.setTimeout(Duration.ofMillis(200));
        Message question = Message.newQuery(Record.newRecord(Name.fromString("mx1.example."), Type.A, DClass.IN));
        assertThatThrownBy(() -> resolver.send(question)).hasMessageContaining("imed out");
        // The question may be read after the resolver has given up.
        Awaitility.await().untilAsserted(() -> assertThat(dns.questions()).contains("mx1.example A"));
    }

    @Test
    void aTruncatedAnswerIsCompleteOverTcp() throws IOException {
        dns.truncates("mx1.example");
        assertThat(answers("mx1.example.", Type.A)).containsExactly("192.0.2.1");
        assertThat(dns.questions()).containsExactly("mx1.example A", "mx1.example A TCP");
        SimpleResolver udpOnly = new SimpleResolver(dns.servers().getFirst());
        udpOnly.setIgnoreTruncation(true);
        Message cut = udpOnly.send(Message.newQuery(
                Record.newRecord(Name.fromString("mx1.example."), Type.A, DClass.IN)));
        assertThat(cut.getHeader().getFlag(Flags.TC)).isTrue();
        assertThat(cut.getSection(Section.ANSWER)).isEmpty();
    }
}
