package org.slipstream.smtpout.host;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.smtpout.host.SecureDns.DnsTrust;
import org.slipstream.smtpout.host.SecureDns.SecureAnswer;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TLSARecord;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/// The word of a resolver about DNSSEC, with a resolver that says what the test wants.
@Timeout(60)
class SecureDnsTest {
    private static final byte[] DIGEST = new byte[32];
    private final List<Message> questions = new CopyOnWriteArrayList<>();
    private final List<DatagramSocket> sockets = new ArrayList<>();

    @AfterEach
    void stop() {
        sockets.forEach(DatagramSocket::close);
    }

    /// A resolver on this machine that edits an empty answer, or refuses to.
    private InetSocketAddress resolver(Consumer<Message> edit) throws IOException {
        DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        sockets.add(socket);
        Thread.ofPlatform().daemon().name("validating-resolver").start(() -> {
            byte[] buffer = new byte[4096];
            while (!socket.isClosed()) {
                try {
                    DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                    socket.receive(packet);
                    Message question = new Message(java.util.Arrays.copyOf(buffer, packet.getLength()));
                    questions.add(question);
                    Message answer = new Message(question.getHeader().getID());
                    answer.getHeader().setFlag(Flags.QR);
                    answer.addRecord(question.getQuestion(), Section.QUESTION);
                    edit.accept(answer);
                    byte[] octets = answer.toWire();
                    socket.send(new DatagramPacket(octets, octets.length, packet.getSocketAddress()));
                } catch (IOException | RuntimeException _) {
                    // Closed, or the test wants no answer.
                }
            }
        });
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private static Record tlsa(Name owner, int last) {
        byte[] digest = DIGEST.clone();
        digest[31] = (byte) last;
        return new TLSARecord(owner, DClass.IN, 60, 3, 1, 1, digest);
    }

    private static SecureAnswer ask(InetSocketAddress... servers) {
        return new SecureDns(List.of(servers)).ask("_25._tcp.mx.a.example", "TLSA");
    }

    private static void record(Message answer) {
        answer.addRecord(tlsa(answer.getQuestion().getName(), 7), Section.ANSWER);
    }

    @Test
    void theBitOfAResolverOnThisMachineIsBelieved() throws IOException {
        SecureAnswer secure = ask(resolver(answer -> {
            answer.getHeader().setFlag(Flags.AD);
            record(answer);
        }));
        assertThat(secure).isEqualTo(new SecureAnswer(DnsTrust.SECURE, List.of("3 1 1 " + "00".repeat(31) + "07"),
                "_25._tcp.mx.a.example"));
        assertThat(questions).singleElement().satisfies(question -> {
            assertThat(question.getOPT().getFlags()).as("the bit DO").isEqualTo(0x8000);
            assertThat(question.getHeader().getFlag(Flags.RD)).isTrue();
            assertThat(question.getHeader().getFlag(Flags.CD)).as("checking must not be turned off").isFalse();
        });
    }

    @Test
    void withoutTheBitTheSameRecordsAreInsecure() throws IOException {
        SecureAnswer insecure = ask(resolver(SecureDnsTest::record));
        assertThat(insecure.trust()).isEqualTo(DnsTrust.INSECURE);
        assertThat(insecure.texts()).hasSize(1);
    }

    @Test
    void theProofThatNoRecordExistsIsAnAnswer() throws IOException {
        for (int code : List.of(Rcode.NOERROR, Rcode.NXDOMAIN)) {
            SecureAnswer none = ask(resolver(answer -> {
                answer.getHeader().setFlag(Flags.AD);
                answer.getHeader().setRcode(code);
            }));
            assertThat(none).isEqualTo(new SecureAnswer(DnsTrust.SECURE, List.of(), "_25._tcp.mx.a.example"));
        }
    }

    /// A resolver that found wrong signatures says SERVFAIL. Taking that for an absence would be a downgrade.
    @Test
    void aFailureIsNoAnswerAlsoWithTheBit() throws IOException {
        for (int code : List.of(Rcode.SERVFAIL, Rcode.REFUSED, Rcode.FORMERR, Rcode.NOTIMP)) {
            assertThat(ask(resolver(answer -> {
                answer.getHeader().setFlag(Flags.AD);
                answer.getHeader().setRcode(code);
                record(answer);
            })).trust()).as("%d", code).isEqualTo(DnsTrust.FAILED);
        }
    }

    @Test
    void anAnswerToAnotherQuestionIsAFailure() throws IOException {
        assertThat(ask(resolver(answer -> {
            answer.getHeader().setFlag(Flags.AD);
            answer.removeAllRecords(Section.QUESTION);
            answer.addRecord(Record.newRecord(Name.fromConstantString("other.example."), 52, DClass.IN),
                    Section.QUESTION);
            record(answer);
        })).trust()).isEqualTo(DnsTrust.FAILED);
    }

    @Test
    void theSecondResolverIsAskedWhenTheFirstFails() throws IOException {
        InetSocketAddress broken = resolver(answer -> answer.getHeader().setRcode(Rcode.SERVFAIL));
        InetSocketAddress works = resolver(answer -> answer.getHeader().setFlag(Flags.AD));
        assertThat(ask(broken, works).trust()).isEqualTo(DnsTrust.SECURE);
        assertThat(questions).hasSize(2);
    }

    /// Its answers could be forged on the way.
    @Test
    void aResolverElsewhereIsNotBelieved() throws IOException {
        InetSocketAddress here = resolver(answer -> answer.getHeader().setFlag(Flags.AD));
        InetSocketAddress elsewhere = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.53"), 53);
        assertThat(new SecureDns(List.of(here)).isTrusted()).isTrue();
        assertThat(new SecureDns(List.of(here, elsewhere)).isTrusted()).isFalse();
        assertThat(ask(here, elsewhere).trust()).isEqualTo(DnsTrust.INSECURE);
    }

    @Test
    void theOwnerBehindAnAliasIsTold() throws IOException {
        Name target = Name.fromConstantString("TLSA.B.example.");
        assertThat(ask(resolver(answer -> {
            answer.getHeader().setFlag(Flags.AD);
            answer.addRecord(new CNAMERecord(answer.getQuestion().getName(), DClass.IN, 60, target), Section.ANSWER);
            answer.addRecord(tlsa(target, 1), Section.ANSWER);
        })).owner()).isEqualTo("tlsa.b.example");
    }

    @Test
    void anAnswerThatIsLongerThanAPacketMayBeIsAFailure() throws IOException {
        SecureAnswer many = ask(resolver(answer -> {
            for (int i = 0; i < 1_000; i++) {
                answer.addRecord(tlsa(answer.getQuestion().getName(), i), Section.ANSWER);
            }
        }));
        assertThat(many).isEqualTo(new SecureAnswer(DnsTrust.FAILED, List.of(), "_25._tcp.mx.a.example"));
    }

    @Test
    void aNameThatDoesNotFitIsAskedNowhere() throws IOException {
        SecureDns dns = new SecureDns(List.of(resolver(_ -> {})));
        assertThat(dns.ask("a".repeat(64) + ".example", "MX").trust()).isEqualTo(DnsTrust.INSECURE);
        assertThat(dns.ask("a..example", "MX").trust()).isEqualTo(DnsTrust.INSECURE);
        assertThat(questions).isEmpty();
    }
}
