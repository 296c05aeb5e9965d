package org.slipstream.smtpin.policy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.testkit.SimulatedClock;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

class PolicyTest {
    private final SimulatedClock clock = new SimulatedClock();

    /// Gives the same answer to every question, and counts the questions.
    private record Fixed(String name, Ruling ruling, List<String> asked) implements Check {
        @Override
        public Ruling mail(Client client, Optional<Address> sender, long declaredBytes) {
            asked.add(name);
            return ruling;
        }
    }

    @Test
    void theFirstThatIsForOrAgainstDecides() {
        List<String> asked = new ArrayList<>();
        Policy policy = new Policy(List.of(new Fixed("a", Ruling.pass(), asked),
                new Fixed("b", Ruling.tag("hm"), asked), new Fixed("c", Ruling.defer("4.7.1", "Later"), asked),
                new Fixed("d", Ruling.pass(), asked)));
        Policy.Verdict verdict = policy.mail(client("192.0.2.1"), Optional.empty(), 0);
        assertThat(verdict.refusal().map(Reply::toString)).contains("450 4.7.1 Later");
        assertThat(verdict.decider()).contains("c");
        assertThat(verdict.tags()).containsExactly(new Tag("b", "hm"));
        assertThat(asked).containsExactly("a", "b", "c");
    }

    @Test
    void anAcceptingCheckEndsTheChecks() {
        List<String> asked = new ArrayList<>();
        Policy policy = new Policy(List.of(new Fixed("a", Ruling.accept(), asked),
                new Fixed("b", Ruling.reject(550, "5.7.1", "No"), asked)));
        assertThat(policy.mail(client("192.0.2.1"), Optional.empty(), 0).refusal()).isEmpty();
        assertThat(asked).containsExactly("a");
    }

    private static Check atTheEnd(String name, Function<Header, Ruling> ruling) {
        return new Check() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Ruling end(Client client, CheckedMessage message) {
                return ruling.apply(message.header());
            }
        };
    }

    private static Policy.Verdict end(List<Check> checks, String header) {
        byte[] octets = header.getBytes(StandardCharsets.US_ASCII);
        return new Policy(checks).end(client("192.0.2.1"), new Check.CheckedMessage(new QueueId(1),
                Envelope.of(Optional.empty(), List.of(Address.of("b@y.example"))), octets.length,
                Header.parse(octets, octets.length), Content.of(octets)));
    }

    /// So a header check sees the verdicts of the server, and none that a stranger wrote.
    @Test
    void aCheckSeesTheHeaderAsThoseBeforeItHaveChangedIt() {
        List<Header> seen = new ArrayList<>();
        HeaderChange change = new HeaderChange(List.of(new HeaderChange.FieldRemoval("x-verdict", 2)),
                List.of(new Header.Field("X-Verdict", "ours;\r\n folded")));
        end(List.of(atTheEnd("a", _ -> new Ruling.Pass(Optional.empty(), change)), atTheEnd("b", header -> {
            seen.add(header);
            return Ruling.pass();
        })), "X-Verdict: first\r\nSubject: x\r\nX-Verdict: forged\r\n");
        assertThat(seen.getFirst().fields()).containsExactly(
                new Header.Field("X-Verdict", "ours; folded"),
                new Header.Field("X-Verdict", "first"), new Header.Field("Subject", "x"));
    }

    @Test
    void aHoldLetsLaterChecksRefuseAndHasTheFirstReason() {
        Check first = atTheEnd("a", _ -> Ruling.hold("asked for"));
        Check second = atTheEnd("b", _ -> Ruling.hold("also"));
        assertThat(end(List.of(first, second), "").hold()).contains(new Tag("a", "asked for"));
        assertThat(end(List.of(first, atTheEnd("c", _ -> Ruling.reject(550, "5.7.1", "No"))), "").refusal())
                .isPresent();
        assertThat(end(List.of(first, atTheEnd("d", _ -> Ruling.accept())), "").hold()).isPresent();
    }

    /// A pattern that repeats repetitions has more ways to match than time or stack allow.
    @ParameterizedTest
    @ValueSource(ints = {60, 100_000})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPatternThatDoesNotEndIsGivenUp(int length) {
        HeaderPatterns patterns = new HeaderPatterns(List.of(
                new HeaderPatterns.Rule("X-Long", Pattern.compile("^(a|aa)+\\1b$"),
                        Ruling.reject(550, "5.7.1", "Never")),
                new HeaderPatterns.Rule("X-Long", Pattern.compile("a!$"), Ruling.reject(550, "5.7.1", "No"))));
        byte[] header = ("X-Long: " + "a".repeat(length) + "!\r\n").getBytes(StandardCharsets.US_ASCII);
        Ruling ruling = patterns.end(client("192.0.2.1"), new Check.CheckedMessage(new QueueId(1),
                Envelope.of(Optional.empty(), List.of(Address.of("b@y.example"))), header.length,
                Header.parse(header, header.length), Content.of(header)));
        assertThat(ruling).isEqualTo(Ruling.reject(550, "5.7.1", "No"));
    }

    @Test
    void aBurstPassesAndTheAverageIsKept() {
        Buckets buckets = new Buckets(10, 1_000, 100, clock::nanos);
        assertThat(taken(buckets, "n", 20)).isEqualTo(10);
        pass(TimeUnit.MILLISECONDS.toNanos(500));
        assertThat(taken(buckets, "n", 20)).isEqualTo(5);
        assertThat(taken(buckets, "other", 20)).isEqualTo(10);
        pass(TimeUnit.HOURS.toNanos(1));
        assertThat(taken(buckets, "n", 20)).as("no client saves more than a bucket").isEqualTo(10);
    }

    @Test
    void bucketsAreBoundedAndTheBusyOnesStay() {
        Buckets buckets = new Buckets(2, 1_000_000, 10, clock::nanos);
        assertThat(taken(buckets, "busy", 5)).isEqualTo(2);
        for (int i = 0; i < 1_000; i++) {
            buckets.take("n" + i);
            assertThat(buckets.take("busy")).isFalse();
        }
        assertThat(buckets.keys()).isEqualTo(10);
    }

    @Test
    void aNetworkIsCountedAndNotItsAddresses() {
        ClientNetwork network = new ClientNetwork(24, 64);
        assertThat(network.key(ip("192.0.2.1"))).isEqualTo(network.key(ip("192.0.2.254")))
                .isNotEqualTo(network.key(ip("192.0.3.1")));
        assertThat(network.key(ip("2001:db8::1"))).isEqualTo(network.key(ip("2001:db8:0:0:ffff::9")))
                .isNotEqualTo(network.key(ip("2001:db8:0:1::1")));
        assertThat(new ClientNetwork(20, 60).key(ip("192.0.15.1"))).isEqualTo("c0000000/20");
        assertThat(new ClientNetwork(0, 0).key(ip("192.0.15.1"))).isEqualTo("00000000/0");
    }

    @Test
    void aUserIsCountedWhereverHeComesFrom() {
        Rates rates = new Rates(new Rates.RateSettings(100, 2, 100, ClientNetwork.standard(), 100), clock::nanos);
        assertThat(rates.mail(user("192.0.2.1", "alice"), Optional.empty(), 0)).isEqualTo(Ruling.pass());
        assertThat(rates.mail(user("198.51.100.1", "alice"), Optional.empty(), 0)).isEqualTo(Ruling.pass());
        assertThat(rates.mail(user("203.0.113.1", "alice"), Optional.empty(), 0)).isInstanceOf(Ruling.Refuse.class);
        assertThat(rates.mail(user("203.0.113.1", "bob"), Optional.empty(), 0)).isEqualTo(Ruling.pass());
        assertThat(rates.mail(client("203.0.113.1"), Optional.empty(), 0)).isEqualTo(Ruling.pass());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%b", "a!b", "a@b", "a%b%c", "b!a!c", "@b:a"})
    void disguisedRecipientsAreForOurOwnClients(String local) {
        RelayForms forms = new RelayForms(client -> client.user().isPresent());
        Check.Rcpt rcpt = new Check.Rcpt(Optional.empty(), new Address(local, "here.example"), false, 0);
        assertThat(forms.rcpt(client("192.0.2.1"), rcpt)).isInstanceOf(Ruling.Refuse.class);
        assertThat(forms.rcpt(user("192.0.2.1", "alice"), rcpt)).isEqualTo(Ruling.pass());
    }

    @Test
    void aHeaderIsItsFields() {
        byte[] bytes = "Subject: a\r\n\tb\r\nFROM : x\r\nX-Empty:\r\nno field\r\nTo: y\r\n"
                .getBytes(StandardCharsets.ISO_8859_1);
        Header header = Header.parse(bytes, bytes.length);
        assertThat(header.fields()).containsExactly(new Header.Field("Subject", "a\tb"),
                new Header.Field("FROM", "x"), new Header.Field("X-Empty", ""));
        assertThat(header.first("subject")).contains("a\tb");
        assertThat(header.count("from")).isEqualTo(1);
        assertThat(Header.parse(new byte[0], 0).fields()).isEmpty();
        assertThat(Header.parse("\r\nTo: y".getBytes(StandardCharsets.US_ASCII), 7).fields()).isEmpty();
    }

    private static int taken(Buckets buckets, String key, int times) {
        int taken = 0;
        for (int i = 0; i < times; i++) {
            taken += buckets.take(key) ? 1 : 0;
        }
        return taken;
    }

    private void pass(long nanos) {
        clock.advance(Duration.ofNanos(nanos));
    }

    private static InetAddress ip(String text) {
        return InetAddress.ofLiteral(text);
    }

    private static Client client(String address) {
        return new Client(1, ip(address), Optional.of("x.example"), true, Optional.empty(), Optional.empty(), "smtp");
    }

    private static Client user(String address, String name) {
        return new Client(1, ip(address), Optional.of("x.example"), true, Optional.empty(), Optional.of(name), "smtp");
    }
}
