package org.slipstream.server.intake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.EtrnService;
import org.slipstream.smtpin.policy.Buckets;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.ClientNetwork;

import java.io.IOException;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// ETRN (RFC 1985): a host that was unreachable requests the mail that waits for it.
///
/// The command only causes a delivery attempt on the usual route, so the client needs no
/// authentication. It concerns the deferred mail of that domain, its destination and its hosts. An
/// unknown client could request every domain, so only domains with a route of their own in the
/// settings, or a queue-only clause, are served, and two limits apply:
///
/// | Limit | Own networks, and users | Other clients |
/// |---|---|---|
/// | for each domain | once in 10 s | once per `queue.minimal-backoff`, the usual interval between attempts |
/// | for each client (`policy.client-prefix-v4`, `-v6`) | 100 in 60 s | 10 per `queue.minimal-backoff` |
///
/// The replies are those of RFC 1985 section 5.3:
///
/// | Reply | Case |
/// |---|---|
/// | 250 | queuing has started; the messages are too many to count |
/// | 251 | no deferred message waits for this domain |
/// | 252 | messages wait, and an earlier request started them |
/// | 253 | this number of messages was started |
/// | 458 | the queue cannot be read, or the client requests too often |
/// | 459 | unknown node, `@domain` (with its subdomains) or `#queue` |
///
/// The count is read from the index by domain and stops after one page, so its cost does not grow
/// with the queue.
///
/// May be called by any thread; blocks on the queue index.
public final class EtrnRequests implements EtrnService {
    private static final Logger log = LoggerFactory.getLogger(EtrnRequests.class);
    private static final long PAUSE_MILLIS = 10_000;
    private static final int REQUESTS_OF_STRANGERS = 10;
    private static final int REQUESTS_OF_OURS = 100;
    private static final long MINUTE = 60_000;

    /// Time of the last flush of each domain. The domains are those of the settings, so the map
    /// does not grow.
    private final Map<String, AtomicLong> woken;
    private final Queue queue;
    private final Predicate<Client> isOurs;
    private final ClientNetwork network;
    private final long strangersPauseNanos;
    private final Buckets strangers;
    private final Buckets ours;
    private final LongSupplier nanos;

    /// The queue operations that ETRN needs.
    public interface Queue {
        /// Messages that were deferred, also without an attempt (queue-only), and have a waiting recipient
        /// in this domain.
        Pending pending(String domain) throws IOException;

        /// Makes them due, and revives their destination.
        ///
        /// @throws IOException when the queue manager does not accept the order
        void flush(String domain) throws IOException;
    }

    /// @param more there may be more messages than were counted
    public record Pending(int messages, boolean more) {}

    /// @param strangersPauseMillis minimum time between two requests of other clients for a domain
    /// @param network which clients count as one
    /// @param networks number of clients that are remembered
    public record EtrnLimits(long strangersPauseMillis, ClientNetwork network, int networks) {}

    /// @param routed domains with a route of their own, or that are queue-only; suffixes and `*` are ignored
    /// @param isOurs true for clients of our own networks and authenticated ones
    public EtrnRequests(Collection<String> routed, Queue queue, Predicate<Client> isOurs, EtrnLimits limits,
            LongSupplier nanos) {
        long pauseMillis = Math.max(PAUSE_MILLIS, limits.strangersPauseMillis());
        this.queue = queue;
        this.isOurs = isOurs;
        this.network = limits.network();
        this.strangersPauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
        this.strangers = new Buckets(REQUESTS_OF_STRANGERS, pauseMillis, limits.networks(), nanos);
        this.ours = new Buckets(REQUESTS_OF_OURS, MINUTE, limits.networks(), nanos);
        this.nanos = nanos;
        long longAgo = nanos.getAsLong() - strangersPauseNanos;
        this.woken = routed.stream().filter(domain -> !domain.startsWith(".") && !domain.equals("*"))
                .collect(Collectors.toUnmodifiableMap(domain -> domain.toLowerCase(Locale.ROOT),
                        _ -> new AtomicLong(longAgo)));
    }

    @Override
    public Reply wake(Client client, String node) {
        String domain = node.toLowerCase(Locale.ROOT);
        if (node.startsWith("@") || node.startsWith("#")) {
            return Reply.of(459, "4.5.4", "Node " + node + " not allowed: neither subdomains nor queues, only domains");
        }
        AtomicLong flushed = woken.get(domain);
        if (flushed == null) {
            return Reply.of(459, "4.7.1", "Node " + node + " not allowed: no domain with a route of its own");
        }
        if (!mayAsk(client)) {
            return Reply.of(458, "4.7.0", "Unable to queue messages for node " + node
                    + ": too many requests, try again later");
        }
        try {
            return start(client, domain, flushed);
        } catch (IOException trouble) {
            log.warn("event=etrn-failed session={} domain={} error=\"{}\"", client.session(),
                    LogText.word(domain), LogText.text(FailureWords.of(trouble)));
            return Reply.of(458, "4.3.0", "Unable to queue messages for node " + node);
        }
    }

    private boolean mayAsk(Client client) {
        String key = client.user().map(user -> "user " + user).orElseGet(() -> network.key(client.address()));
        return (isOurs.test(client) ? ours : strangers).take(key);
    }

    // The flush is executed without waiting messages, too: it revives the destination for later
    // mail.
    private Reply start(Client client, String domain, AtomicLong flushed) throws IOException {
        Pending pending = queue.pending(domain);
        boolean started = flush(client, domain, flushed);
        if (pending.messages() == 0 && !pending.more()) {
            return Reply.of(251, "2.0.0", "OK, no messages waiting for node " + domain);
        }
        if (!started) {
            return Reply.of(252, "2.0.0", "OK, pending messages for node " + domain + " started");
        }
        return pending.more()
                ? Reply.of(250, "2.0.0", "OK, queuing for node " + domain + " started")
                : Reply.of(253, "2.0.0",
                        "OK, " + pending.messages() + " pending messages for node " + domain + " started");
    }

    /// False when the domain was flushed a short time ago.
    private boolean flush(Client client, String domain, AtomicLong flushed) throws IOException {
        long last = flushed.get();
        long now = nanos.getAsLong();
        long pause = isOurs.test(client) ? TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS) : strangersPauseNanos;
        if (now - last < pause || !flushed.compareAndSet(last, now)) {
            return false;
        }
        try {
            queue.flush(domain);
        } catch (IOException notTaken) {
            flushed.compareAndSet(now, last);
            throw notTaken;
        }
        log.info("event=etrn-flush session={} domain={}", client.session(), LogText.word(domain));
        return true;
    }
}
