package org.slipstream.server.intake;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.Address;
import org.slipstream.core.Reply;
import org.slipstream.server.dispatch.Verifications;
import org.slipstream.server.dispatch.Verifications.VerificationResult;
import org.slipstream.server.dispatch.Verifications.VerificationVerdict;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class RecipientVerificationTest {
    private static final InetAddress CLIENT = InetAddress.ofLiteral("198.51.100.7");
    private static final Address ANN = Address.of("ann@relay.example");
    private static final Duration DAY = Duration.ofDays(1);
    private static final Reply NO_SUCH_USER = Reply.of(550, "5.1.1", "no such user");

    private final AtomicLong now = new AtomicLong();
    private final List<Address> asked = new ArrayList<>();
    private final Deque<VerificationVerdict> answers = new ArrayDeque<>();
    private final RecipientVerification verification = verification((address, answer) -> {
        asked.add(address);
        answer.accept(answers.isEmpty() ? accepted() : answers.remove());
    });

    private RecipientVerification verification(Verifications probes) {
        return new RecipientVerification(probes, now::get, Duration.ofSeconds(60));
    }

    private static VerificationVerdict verdict(VerificationResult result, Reply reply) {
        return new VerificationVerdict(result, "smtp:relay.example", "mx.relay.example[192.0.2.1]:25", reply);
    }

    private static VerificationVerdict accepted() {
        return verdict(VerificationResult.DELIVERABLE, Reply.of(250, "2.1.5", "ok"));
    }

    private static VerificationVerdict refused() {
        return verdict(VerificationResult.UNDELIVERABLE, NO_SUCH_USER);
    }

    private static VerificationVerdict uncertain() {
        return verdict(VerificationResult.UNKNOWN, Reply.of(450, "4.2.0", "greylisted"));
    }

    private String reply(Address address) {
        return text(verification.refusal(CLIENT, address));
    }

    private static String text(Optional<Reply> refusal) {
        return refusal.map(Reply::toString).orElse("accepted");
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    @Test
    void theNextHopDecidesAndItsTextIsQuoted() {
        answers.addAll(List.of(accepted(), refused(), uncertain()));
        assertThat(reply(ANN)).isEqualTo("accepted");
        assertThat(reply(Address.of("gone@relay.example"))).isEqualTo("550 5.1.1 <gone@relay.example>: Recipient"
                + " address rejected: undeliverable address: host mx.relay.example[192.0.2.1]:25 said: 550 5.1.1 no"
                + " such user");
        assertThat(reply(Address.of("later@relay.example"))).startsWith("450 4.1.1 <later@relay.example>: ");
    }

    @Test
    void anAcceptedRecipientIsRememberedForAMonthAndAskedAgainAfterAWeek() {
        reply(ANN);
        pass(DAY.multipliedBy(6));
        reply(ANN);
        assertThat(asked).hasSize(1);
        pass(DAY);
        answers.add(uncertain());
        assertThat(reply(ANN)).as("an uncertain answer replaces nothing").isEqualTo("accepted");
        assertThat(asked).hasSize(2);
        assertThat(reply(ANN)).as("and is not asked for at each recipient").isEqualTo("accepted");
        assertThat(asked).hasSize(2);
        pass(DAY.multipliedBy(23));
        answers.add(uncertain());
        assertThat(reply(ANN)).as("its last certain answer is 30 days old").isEqualTo("accepted");
        pass(DAY);
        answers.add(uncertain());
        assertThat(reply(ANN)).startsWith("450 ");
    }

    @Test
    void anAcceptedRecipientThatIsGoneIsRefusedAfterTheNextAnswer() {
        reply(ANN);
        pass(DAY.multipliedBy(8));
        answers.add(refused());
        assertThat(reply(ANN)).as("the client does not wait").isEqualTo("accepted");
        assertThat(reply(ANN)).startsWith("550 5.1.1");
    }

    @Test
    void aRefusedRecipientIsAskedAgainAfterThreeHours() {
        answers.add(refused());
        reply(ANN);
        pass(Duration.ofHours(2));
        assertThat(reply(ANN)).startsWith("550 ");
        assertThat(asked).hasSize(1);
        pass(Duration.ofHours(1));
        assertThat(reply(ANN)).startsWith("550 ");
        assertThat(reply(ANN)).isEqualTo("accepted");
    }

    @Test
    void aMailboxThatAnOperatorHasFoundIsAcceptedAtOnce() {
        answers.add(refused());
        assertThat(reply(ANN)).startsWith("550 ");
        verification.renew(ANN, uncertain());
        assertThat(reply(ANN)).as("an uncertain answer replaces nothing").startsWith("550 ");
        verification.renew(ANN, accepted());
        assertThat(reply(ANN)).isEqualTo("accepted");
        assertThat(asked).hasSize(1);
        verification.renew(Address.of("bob@relay.example"), accepted());
        assertThat(verification.remembered()).as("an address that no client has named").isEqualTo(1);
    }

    @Test
    void anUncertainAnswerIsAskedForOnceAMinute() {
        answers.add(uncertain());
        for (int i = 0; i < 100; i++) {
            assertThat(reply(ANN)).startsWith("450 4.1.1");
        }
        assertThat(asked).hasSize(1);
        pass(Duration.ofMinutes(1));
        assertThat(reply(ANN)).isEqualTo("accepted");
    }

    /// A domain without a route, or a queue manager that fails, is trouble of our own.
    @Test
    void troubleOfOurOwnIsNoFaultOfTheRecipient() {
        answers.add(new VerificationVerdict(VerificationResult.UNDELIVERABLE, "", "local",
                Reply.of(550, "5.4.4", "no such domain")));
        assertThat(reply(ANN)).startsWith("450 4.1.1");
        assertThat(text(verification((_, _) -> {
            throw new IllegalStateException("stopping");
        }).refusal(CLIENT, ANN))).startsWith("450 4.1.1");
    }

    @Test
    void aHostThatHangsCostsTheClientALimitedWait() {
        RecipientVerification hanging = new RecipientVerification((_, _) -> {}, now::get, Duration.ofMillis(1));
        assertThat(text(hanging.refusal(CLIENT, ANN))).startsWith("450 4.1.1");
    }

    @Test
    @Timeout(120)
    void aThousandSessionsThatAskForOneAddressAreOneProbe() throws Exception {
        ConcurrentLinkedQueue<Consumer<VerificationVerdict>> waiting = new ConcurrentLinkedQueue<>();
        RecipientVerification slow = verification((_, answer) -> waiting.add(answer));
        List<Future<String>> sessions = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 1_000; i++) {
                sessions.add(threads.submit(() -> text(slow.refusal(CLIENT, ANN))));
            }
            await().until(() -> !waiting.isEmpty());
            waiting.forEach(answer -> answer.accept(refused()));
            for (Future<String> session : sessions) {
                assertThat(session.get()).startsWith("550 5.1.1");
            }
        }
        assertThat(waiting).hasSize(1);
    }

    /// The look at an answer that is too old reads the clock; another session asks just then.
    @Test
    void aProbeThatEndsWhileASessionLooksIsNotRepeated() {
        AtomicBoolean other = new AtomicBoolean();
        AtomicReference<RecipientVerification> both = new AtomicReference<>();
        List<Address> probes = new ArrayList<>();
        both.set(new RecipientVerification((address, answer) -> {
            probes.add(address);
            answer.accept(refused());
        }, () -> {
            long time = now.get();
            if (other.compareAndSet(true, false)) {
                assertThat(text(both.get().refusal(CLIENT, ANN))).startsWith("550 5.1.1");
            }
            return time;
        }, Duration.ofSeconds(60)));
        assertThat(text(both.get().refusal(CLIENT, ANN))).startsWith("550 5.1.1");
        pass(Duration.ofDays(4));
        other.set(true);
        assertThat(text(both.get().refusal(CLIENT, ANN))).contains("said: 550 5.1.1 no such user");
        assertThat(other).isFalse();
        assertThat(probes).hasSize(2);
    }

    @Test
    void aStrangerWithADictionaryCausesFewProbes() {
        int refused = 0;
        for (int i = 0; i < 100_000; i++) {
            refused += reply(Address.of("x" + i + "@relay.example")).startsWith("450") ? 1 : 0;
        }
        assertThat(asked).hasSize(RecipientVerification.PROBES_OF_CLIENT);
        assertThat(refused).isEqualTo(100_000 - RecipientVerification.PROBES_OF_CLIENT);
        assertThat(text(verification.refusal(InetAddress.ofLiteral("203.0.113.1"), ANN))).as("others are not concerned")
                .isEqualTo("accepted");
        assertThat(reply(Address.of("x1@relay.example"))).as("an address that is known").isEqualTo("accepted");
        pass(Duration.ofMinutes(1));
        assertThat(reply(Address.of("y@relay.example"))).isEqualTo("accepted");
    }

    @Test
    void aDomainAndTheServerHaveALimitOfOpenProbes() {
        List<Consumer<VerificationVerdict>> waiting = new ArrayList<>();
        RecipientVerification busy = new RecipientVerification((_, answer) -> waiting.add(answer), now::get,
                Duration.ofMillis(1));
        for (int i = 0; i < 100; i++) {
            for (int domain = 0; domain < 10; domain++) {
                busy.refusal(InetAddress.ofLiteral("203.0." + i + ".1"),
                        Address.of("x" + i + "@d" + domain + ".example"));
            }
            if (i == 9) {
                assertThat(waiting).hasSize(RecipientVerification.MOST_OPEN);
            }
        }
        assertThat(waiting).hasSize(RecipientVerification.MOST_OPEN);
        waiting.forEach(answer -> answer.accept(accepted()));
        waiting.clear();
        for (int i = 0; i < 100; i++) {
            busy.refusal(InetAddress.ofLiteral("203.0." + i + ".2"), Address.of("z" + i + "@d1.example"));
        }
        assertThat(waiting).hasSize(RecipientVerification.MOST_OF_DOMAIN);
    }

    @Test
    void theMemoryHasABoundInEntriesAndOctets() {
        for (int i = 0; i < RecipientVerification.MOST_REMEMBERED + 100; i++) {
            pass(Duration.ofSeconds(1));
            reply(Address.of("x" + i + "@relay.example"));
        }
        assertThat(verification.remembered()).isEqualTo(RecipientVerification.MOST_REMEMBERED);
        String name = "n".repeat(64);
        Reply longest = new Reply(550, Optional.empty(), List.of("é".repeat(500), "\u202e\u0007".repeat(200)));
        for (int i = 0; i < RecipientVerification.MOST_REMEMBERED; i++) {
            pass(Duration.ofSeconds(1));
            answers.add(verdict(VerificationResult.UNDELIVERABLE, longest));
            String text = reply(new Address(name + i, "y".repeat(60) + ".example"));
            assertThat(text.length()).isLessThan(600);
            assertThat(text.chars()).noneMatch(Character::isISOControl);
        }
        assertThat(verification.remembered()).isLessThan(RecipientVerification.MOST_REMEMBERED)
                .isGreaterThan(RecipientVerification.MOST_OCTETS / 2_000);
    }

    @Test
    void tagsQuotesAndCaseOfLocalPartsAreThoseOfTheNextHop() {
        for (String address : List.of("ann+a@relay.example", "Ann@relay.example", "\"ann lee\"@relay.example",
                "grün@größe.example", "ann@RELAY.example", "ann@relay.example")) {
            assertThat(reply(Address.of(address))).isEqualTo("accepted");
        }
        assertThat(asked).extracting(Address::toString).containsExactly("ann+a@relay.example", "Ann@relay.example",
                "\"ann lee\"@relay.example", "grün@größe.example", "ann@RELAY.example");
    }
}
