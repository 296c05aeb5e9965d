package org.slipstream.server.intake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.server.dispatch.Verifications;
import org.slipstream.server.dispatch.Verifications.VerificationResult;
import org.slipstream.server.dispatch.Verifications.VerificationVerdict;
import org.slipstream.smtpin.policy.Buckets;
import org.slipstream.smtpin.policy.ClientNetwork;

import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/// Recipients whose mailboxes another server has are verified at RCPT: the next hop is asked by a probe, and
/// its answer is remembered. Mail for names that it does not know is refused and not returned later.
///
/// | Answer of the next hop | Reply to the client | Remembered | Asked again, while it is remembered |
/// |---|---|---|---|
/// | accepts the recipient | accepted | 31 days | after 7 days |
/// | refuses it for good | 550 5.1.1 with its text | 3 days | after 3 hours |
/// | anything else, or none in 9 s | 450 4.1.1 | a minute | |
///
/// The times are those of `address_verify_*` in Postfix. An answer that is remembered is used at once, and
/// asking again does not delay the client; an uncertain answer does not replace a certain one.
///
/// **Strangers cannot use this server against the next hop.** An address is asked once however many clients
/// wait for it. At most [#MOST_OPEN] probes are under way, [#MOST_OF_DOMAIN] for one domain, and a network of
/// clients causes [#PROBES_OF_CLIENT] in a minute; beyond, the client gets the 450 without a probe. The queue
/// manager gives all probes a small share of the connections, and a host that is dead or suspended gets
/// none. ADR 115.
///
/// May be used by any thread; the thread of a session waits.
public final class RecipientVerification {
    static final int MOST_REMEMBERED = 20_000;
    static final int MOST_OCTETS = 8 << 20;
    static final int MOST_OPEN = 100;
    static final int MOST_OF_DOMAIN = 20;
    static final int PROBES_OF_CLIENT = 60;
    private static final int CLIENTS = 10_000;
    /// Of a reply that is quoted to the client.
    private static final int MOST_QUOTED = 200;
    /// The objects of an entry.
    private static final int ENTRY_OCTETS = 200;
    private static final Duration WAIT = Duration.ofSeconds(9);
    /// A queue manager that starts again forgets its probes.
    private static final Duration LOST = Duration.ofMinutes(10);
    private static final VerificationVerdict UNANSWERED = new VerificationVerdict(VerificationResult.UNKNOWN, "", "",
            Reply.of(450, "4.4.2", "the next hop did not answer"));
    private static final Logger log = LoggerFactory.getLogger(RecipientVerification.class);

    private final Verifications probes;
    private final LongSupplier nanos;
    private final Duration wait;
    private final Buckets clients;
    private final ClientNetwork networks = ClientNetwork.standard();
    /// In the order of the last use.
    private final LinkedHashMap<String, Remembered> remembered = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, CompletableFuture<ProbeAnswer>> open = new HashMap<>();
    private final Map<String, Integer> openOfDomain = new HashMap<>();
    private long octets;

    /// The rest of the reply was logged.
    ///
    /// @param quoted the text of a refusal
    private record ProbeAnswer(VerificationResult result, String quoted) {
        static ProbeAnswer of(VerificationVerdict verdict) {
            return new ProbeAnswer(verdict.result(),
                    verdict.result() == VerificationResult.UNDELIVERABLE ? quotation(verdict) : "");
        }

        private static String quotation(VerificationVerdict verdict) {
            return "host " + LogText.text(verdict.host()) + " said: "
                    + LogText.text(String.join(" ", verdict.reply().toString().split("\\R")))
                            .codePoints().limit(MOST_QUOTED)
                            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append);
        }
    }

    /// @param nanos at the last certain answer
    /// @param askedNanos at the last probe
    private record Remembered(ProbeAnswer answer, long nanos, long askedNanos) {
        boolean isValid(long now) {
            return now - nanos < switch (answer.result()) {
                case DELIVERABLE -> TimeUnit.DAYS.toNanos(31);
                case UNDELIVERABLE -> TimeUnit.DAYS.toNanos(3);
                case UNKNOWN -> TimeUnit.MINUTES.toNanos(1);
            };
        }

        boolean isDue(long now) {
            return now - askedNanos >= switch (answer.result()) {
                case DELIVERABLE -> TimeUnit.DAYS.toNanos(7);
                case UNDELIVERABLE -> TimeUnit.HOURS.toNanos(3);
                case UNKNOWN -> Long.MAX_VALUE;
            };
        }
    }

    public RecipientVerification(Verifications probes, LongSupplier nanos) {
        this(probes, nanos, WAIT);
    }

    RecipientVerification(Verifications probes, LongSupplier nanos, Duration wait) {
        this.probes = probes;
        this.nanos = nanos;
        this.wait = wait;
        this.clients = new Buckets(PROBES_OF_CLIENT, TimeUnit.MINUTES.toMillis(1), CLIENTS, nanos);
    }

    /// Empty when the recipient is accepted. Waits for the next hop, at most [#WAIT].
    Optional<Reply> refusal(InetAddress client, Address recipient) {
        Optional<Remembered> known = recall(recipient.key());
        if (known.isPresent()) {
            if (known.get().isDue(nanos.getAsLong())) {
                begin(recipient, Optional.empty());
            }
            return refusal(recipient, known.get().answer());
        }
        return begin(recipient, Optional.of(client)).flatMap(this::await)
                .map(answer -> refusal(recipient, answer)).orElseGet(() -> Optional.of(later(recipient)));
    }

    private Optional<ProbeAnswer> await(CompletableFuture<ProbeAnswer> answer) {
        try {
            return Optional.of(answer.get(wait.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (TimeoutException | ExecutionException unanswered) {
            return Optional.empty();
        }
    }

    private static Optional<Reply> refusal(Address recipient, ProbeAnswer answer) {
        return switch (answer.result()) {
            case DELIVERABLE -> Optional.empty();
            case UNDELIVERABLE -> Optional.of(Reply.of(550, "5.1.1", "<" + recipient
                    + ">: Recipient address rejected: undeliverable address: " + answer.quoted()));
            case UNKNOWN -> Optional.of(later(recipient));
        };
    }

    private static Reply later(Address recipient) {
        return Reply.of(450, "4.1.1", "<" + recipient
                + ">: Recipient address rejected: unverified address: the next hop did not confirm it, try again"
                + " later");
    }

    /// An operator has asked (`mta verify`). A certain answer replaces the remembered one, so that a mailbox that is
    /// new at the next hop is accepted at once. An address that no client has named is not remembered.
    public synchronized void renew(Address recipient, VerificationVerdict answer) {
        if (remembered.containsKey(recipient.key())) {
            remember(recipient.key(), ProbeAnswer.of(judged(answer)));
        }
    }

    // ---- probes

    /// The answer to a probe, under way already or begun now; empty at a limit.
    ///
    /// @param client empty: the answer is asked again, which is no client's doing
    private Optional<CompletableFuture<ProbeAnswer>> begin(Address recipient, Optional<InetAddress> client) {
        String key = recipient.key();
        CompletableFuture<VerificationVerdict> asked = new CompletableFuture<>();
        CompletableFuture<ProbeAnswer> answer = asked.thenApply(verdict -> settle(recipient, verdict));
        synchronized (this) {
            // A probe may have ended since the client's session has looked.
            Optional<Remembered> known = client.flatMap(_ -> recall(key));
            if (known.isPresent()) {
                return Optional.of(CompletableFuture.completedFuture(known.get().answer()));
            }
            CompletableFuture<ProbeAnswer> before = open.get(key);
            if (before != null) {
                return Optional.of(before);
            }
            if (open.size() >= MOST_OPEN || openOfDomain.getOrDefault(recipient.domainKey(), 0) >= MOST_OF_DOMAIN
                    || client.isPresent() && !clients.take(networks.key(client.get()))) {
                return Optional.empty();
            }
            open.put(key, answer);
            openOfDomain.merge(recipient.domainKey(), 1, Integer::sum);
        }
        asked.completeOnTimeout(UNANSWERED, LOST.toSeconds(), TimeUnit.SECONDS);
        try {
            probes.verify(recipient, verdict -> asked.complete(judged(verdict)));
        } catch (RuntimeException stopping) {
            log.warn("event=recipient-not-asked recipient={} error=\"{}\"", LogText.path(recipient),
                    LogText.text(String.valueOf(stopping.getMessage())));
            asked.complete(UNANSWERED);
        }
        return Optional.of(answer);
    }

    /// Without a route no host was asked, and that is no fault of the recipient.
    private static VerificationVerdict judged(VerificationVerdict verdict) {
        return verdict.result() == VerificationResult.UNDELIVERABLE && verdict.route().isEmpty()
                ? new VerificationVerdict(VerificationResult.UNKNOWN, verdict.route(), verdict.host(), verdict.reply())
                : verdict;
    }

    private ProbeAnswer settle(Address recipient, VerificationVerdict verdict) {
        log.info("event=recipient-verified recipient={} result={} route={} host={} reply=\"{}\"",
                LogText.path(recipient), verdict.result().word(), LogText.word(verdict.route()),
                LogText.word(verdict.host()), LogText.text(verdict.reply().toString()));
        ProbeAnswer answer = ProbeAnswer.of(verdict);
        synchronized (this) {
            String key = recipient.key();
            open.remove(key);
            openOfDomain.compute(recipient.domainKey(), (_, count) -> count == null || count == 1 ? null : count - 1);
            remember(key, answer);
        }
        return answer;
    }

    // ---- memory

    private synchronized Optional<Remembered> recall(String key) {
        return Optional.ofNullable(remembered.get(key)).filter(each -> each.isValid(nanos.getAsLong()));
    }

    private void remember(String key, ProbeAnswer answer) {
        long now = nanos.getAsLong();
        Remembered before = remembered.get(key);
        if (answer.result() == VerificationResult.UNKNOWN && before != null && before.isValid(now)
                && before.answer().result() != VerificationResult.UNKNOWN) {
            remembered.put(key, new Remembered(before.answer(), before.nanos(), now));
            return;
        }
        forget(key);
        Remembered entry = new Remembered(answer, now, now);
        remembered.put(key, entry);
        octets += octets(key, entry);
        while (remembered.size() > MOST_REMEMBERED || octets > MOST_OCTETS) {
            forget(remembered.firstEntry().getKey());
        }
    }

    private void forget(String key) {
        Remembered entry = remembered.remove(key);
        if (entry != null) {
            octets -= octets(key, entry);
        }
    }

    private static long octets(String key, Remembered entry) {
        return ENTRY_OCTETS + 2L * (key.length() + entry.answer().quoted().length());
    }

    synchronized int remembered() {
        return remembered.size();
    }
}
