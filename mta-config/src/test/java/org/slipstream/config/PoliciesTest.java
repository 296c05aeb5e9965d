package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.Reply;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.guard.policy.NameQuestions;
import org.slipstream.guard.policy.NameQuestions.Addresses;
import org.slipstream.guard.policy.Policies;
import org.slipstream.guard.policy.PolicyMemory;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.policy.Tag;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

import static org.assertj.core.api.Assertions.assertThat;

/// The policies by the settings of an operator, for three clients: strangers from 192.0.2.66, known
/// clients from 10/8, a user.
class PoliciesTest {
    private static final Client STRANGER = client("192.0.2.66", Optional.empty());
    private static final Client OURS = client("10.1.2.3", Optional.empty());
    private static final Client USER = client("192.0.2.66", Optional.of("alice"));

    @TempDir
    Path home;

    private final FakeDns dns = new FakeDns();

    /// Gives prepared answers and counts the questions.
    private static final class FakeDns implements NameQuestions {
        final Map<String, Addresses> addresses = new HashMap<>();
        final Map<String, MailCapability> domains = new HashMap<>();
        final List<String> asked = new ArrayList<>();

        @Override
        public synchronized Addresses ip4(String name) {
            asked.add(name);
            return addresses.getOrDefault(name, new Addresses.None());
        }

        @Override
        public synchronized MailCapability mail(String domain) {
            asked.add(domain);
            return domains.getOrDefault(domain, MailCapability.POSSIBLE);
        }

        @Override
        public synchronized Optional<String> host(InetAddress address) {
            asked.add(address.getHostAddress());
            return Optional.empty();
        }
    }

    @Test
    void aClientOnABlockListIsToldWhichOne() {
        dns.addresses.put("66.2.0.192.bad.example", found("127.0.0.2"));
        Policy policy = policy("policy.block-lists=good.example,bad.example");
        Policy.Verdict verdict = rcpt(policy, STRANGER, "a@far.example", "bob@here.example");
        assertThat(verdict.decider()).contains("block-lists");
        assertThat(text(verdict))
                .isEqualTo("554 5.7.1 Service unavailable; Client host [192.0.2.66] blocked using bad.example");
    }

    @Test
    void aListToTagOnlyRefusesNoClient() {
        dns.addresses.put("66.2.0.192.bad.example", found("127.0.0.2"));
        Policy.Verdict verdict = rcpt(policy("policy.block-lists=bad.example tag"), STRANGER, "a@far.example",
                "bob@here.example");
        assertThat(verdict.refusal()).isEmpty();
        assertThat(verdict.tags()).containsExactly(new Tag("block-lists", "bad.example"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.255.255.254", "198.51.100.7"})
    void aListThatSpeaksOfItselfOrAWildcardSaysNothingOfTheClient(String answer) {
        dns.addresses.put("66.2.0.192.bad.example", found(answer));
        Policy policy = policy("policy.block-lists=bad.example");
        assertThat(rcpt(policy, STRANGER, "a@far.example", "bob@here.example").refusal()).isEmpty();
    }

    @Test
    void aBrokenListRefusesNoClientAndIsNotQueriedForAWhile() {
        dns.addresses.put("66.2.0.192.bad.example", new Addresses.Trouble());
        Policy policy = policy("policy.block-lists=bad.example");
        for (int i = 0; i < 5; i++) {
            assertThat(rcpt(policy, STRANGER, "a@far.example", "bob@here.example").refusal()).isEmpty();
        }
        assertThat(dns.asked).hasSize(1);
    }

    @Test
    void ourClientsOurUsersAndTheExemptAreNotLookedUp() {
        dns.addresses.put("66.2.0.192.bad.example", found("127.0.0.2"));
        Policy policy = policy("policy.block-lists=bad.example", "policy.exempt=198.51.100.0/24");
        assertThat(rcpt(policy, OURS, "a@far.example", "bob@here.example").refusal()).isEmpty();
        assertThat(rcpt(policy, USER, "a@far.example", "bob@here.example").refusal()).isEmpty();
        assertThat(rcpt(policy, client("198.51.100.9", Optional.empty()), "a@far.example", "bob@here.example")
                .refusal()).isEmpty();
        assertThat(dns.asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"postmaster@here.example", "Abuse@here.example"})
    void aListedUnknownAndNewClientCanStillWriteTo(String recipient) {
        dns.addresses.put("66.2.0.192.bad.example", found("127.0.0.2"));
        dns.domains.put("nowhere.example", NameQuestions.MailCapability.NO_SUCH_DOMAIN);
        Policy policy = policy("policy.block-lists=bad.example", "policy.sender-domain=true",
                "policy.greylisting=true");
        assertThat(rcpt(policy, STRANGER, "a@nowhere.example", recipient).refusal()).isEmpty();
        assertThat(rcpt(policy, STRANGER, "a@nowhere.example", "bob@here.example").refusal()).isPresent();
    }

    @Test
    void aSenderToWhomNothingCanBeReturnedIsRefusedAndTheNullSenderIsNot() {
        dns.domains.put("nowhere.example", NameQuestions.MailCapability.NO_SUCH_DOMAIN);
        dns.domains.put("mute.example", NameQuestions.MailCapability.TAKES_NONE);
        dns.domains.put("slow.example", NameQuestions.MailCapability.TROUBLE);
        Policy policy = policy("policy.sender-domain=true");
        assertThat(text(rcpt(policy, STRANGER, "a@nowhere.example", "bob@here.example")))
                .isEqualTo("550 5.1.8 Sender address rejected: Domain nowhere.example not found");
        assertThat(text(rcpt(policy, STRANGER, "a@mute.example", "bob@here.example"))).startsWith("550 5.7.27 ");
        assertThat(rcpt(policy, STRANGER, "a@slow.example", "bob@here.example").refusal()).isEmpty();
        assertThat(policy.rcpt(STRANGER, new Check.Rcpt(Optional.empty(), Address.of("bob@here.example"), false, 0))
                .refusal()).isEmpty();
    }

    @Test
    void dnsThatNeverAnswersDelaysOneClientAndRefusesNone() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        NameQuestions silent = new NameQuestions() {
            @Override
            public Addresses ip4(String name) {
                asked.countDown();
                await(end);
                return found("127.0.0.2");
            }

            @Override
            public MailCapability mail(String domain) {
                return MailCapability.POSSIBLE;
            }

            @Override
            public Optional<String> host(InetAddress address) {
                return Optional.empty();
            }
        };
        Policy policy = policy(config("policy.block-lists=dead.example", "policy.dns-timeout=20ms"), _ -> true, silent);
        try {
            assertThat(rcpt(policy, STRANGER, "a@far.example", "bob@here.example").refusal()).isEmpty();
            asked.await();
            assertThat(rcpt(policy, STRANGER, "a@far.example", "bob@here.example").refusal()).isEmpty();
        } finally {
            end.countDown();
        }
    }

    @Test
    void aStrangersRateIsThatOfHisNetworkAndAUsersHisOwnOnEveryPort() {
        Policy policy = policy("policy.connections-per-minute=2", "policy.messages-per-hour=1",
                "policy.user-messages-per-hour=2");
        assertThat(policy.connect(STRANGER, false).refusal()).isEmpty();
        assertThat(policy.connect(STRANGER, false).refusal()).isEmpty();
        assertThat(text(policy.connect(STRANGER, false))).startsWith("421 4.7.0 ");
        assertThat(policy.connect(OURS, false).refusal()).isEmpty();
        assertThat(mail(policy, STRANGER).refusal()).isEmpty();
        assertThat(text(mail(policy, STRANGER))).startsWith("450 4.7.1 ");
        assertThat(mail(policy, USER).refusal()).isEmpty();
        assertThat(mail(policy, USER).refusal()).isEmpty();
        assertThat(mail(policy, USER).decider()).contains("rates");
        for (int i = 0; i < 10; i++) {
            assertThat(mail(policy, OURS).refusal()).isEmpty();
        }
    }

    @Test
    void zeroIsNoLimit() {
        Policy policy = policy("policy.connections-per-minute=0");
        for (int i = 0; i < 1_000; i++) {
            assertThat(policy.connect(STRANGER, false).refusal()).isEmpty();
        }
    }

    @Test
    void anyClientThatTalksFirstIsDisconnected() {
        assertThat(text(policy().connect(OURS, true))).startsWith("554 5.5.0 ");
    }

    @Test
    void aDisguisedRecipientIsRefusedUnlessTheOperatorHasGivenAMailboxThatName() {
        Policy policy = policy();
        assertThat(text(rcpt(policy, STRANGER, "a@far.example", "x%far.example@elsewhere.example")))
                .startsWith("554 5.7.1 ");
        assertThat(rcpt(policy, STRANGER, "a@far.example", "odd%name@here.example").refusal()).isEmpty();
        assertThat(rcpt(policy, OURS, "a@far.example", "x%far.example@elsewhere.example").refusal()).isEmpty();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Addresses found(String address) {
        return new Addresses.Found(List.of(InetAddress.ofLiteral(address)));
    }

    private static Policy.Verdict mail(Policy policy, Client client) {
        return policy.mail(client, Optional.of(Address.of("a@far.example")), 0);
    }

    private static Policy.Verdict rcpt(Policy policy, Client client, String sender, String recipient) {
        return policy.rcpt(client,
                new Check.Rcpt(Optional.of(Address.of(sender)), Address.of(recipient), false, 0));
    }

    private static String text(Policy.Verdict verdict) {
        return verdict.refusal().map(Reply::toString).orElse("accepted");
    }

    private Policy policy(String... settings) {
        return policy(config(settings), address -> address.domainKey().equals("here.example"), dns);
    }

    private static Policy policy(Config config, Predicate<Address> exists, NameQuestions names) {
        return new Policy(Policies.checks(config.policy(), config.headerRules(),
                new Policies.Surroundings(config.hostname(), exists, config.relay()::contains, names,
                        (_, _) -> new TextAnswer.None(false), _ -> {}, _ -> {}),
                new PolicyMemory(), Optional.empty()));
    }

    private Config config(String... settings) {
        List<String> all = new ArrayList<>(
                List.of("hostname=mx.here.example", "local.domains=here.example", "relay.networks=10.0.0.0/8"));
        all.addAll(List.of(settings));
        return switch (ConfigReader.read(SettingsSource.in(home), all)) {
            case ReadResult.Accepted(Config config) -> config;
            case ReadResult.Rejected rejected -> throw new AssertionError(rejected.toString());
        };
    }

    private static Client client(String address, Optional<String> user) {
        return new Client(1, InetAddress.ofLiteral(address), Optional.of("client.example"), true, Optional.empty(),
                user, "smtp");
    }
}
