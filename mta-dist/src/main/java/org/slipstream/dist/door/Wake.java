package org.slipstream.dist.door;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.Etrn;
import org.slipstream.smtpin.policy.Client;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// A host that was away asks for the mail that waits for it (ETRN, RFC 1985).
///
/// Whoever asks gets nothing but an attempt on the usual way, so nobody has to prove who he is. But attempts cost, and a stranger could ask for
/// all domains of the world. So it is done for domains that have a route of their own in the settings, and it concerns that domain's mail, its
/// destination and its hosts and nothing else. A client from our own networks, or with a login, may ask once in ten seconds for each domain;
/// a stranger as often as a message that fails is tried anyway (`queue.minimal-backoff`).
///
/// Any thread.
public final class Wake implements Etrn {
    private static final Logger log = LoggerFactory.getLogger(Wake.class);
    private static final long PAUSE_NANOS = 10_000_000_000L;

    /// When each domain was last woken. The domains are those of the settings, so it does not grow.
    private final Map<String, Long> woken;
    private final Consumer<String> flush;
    private final Predicate<Client> isOurs;
    private final long strangersPauseNanos;
    private final LongSupplier nanos;

    /// @param routed domains with a route of their own; suffixes and `*` are none
    /// @param flush makes what waits for a domain due now; must not block
    /// @param isOurs from our own networks, or logged in
    /// @param strangersPauseMillis for each domain, between what others ask for
    public Wake(Collection<String> routed, Consumer<String> flush, Predicate<Client> isOurs, long strangersPauseMillis,
            LongSupplier nanos) {
        this.isOurs = isOurs;
        this.strangersPauseNanos = Math.max(PAUSE_NANOS, TimeUnit.MILLISECONDS.toNanos(strangersPauseMillis));
        long longAgo = nanos.getAsLong() - strangersPauseNanos;
        this.woken = new ConcurrentHashMap<>(
                routed.stream().filter(domain -> !domain.startsWith(".") && !domain.equals("*"))
                        .collect(Collectors.toMap(domain -> domain.toLowerCase(Locale.ROOT), _ -> longAgo)));
        this.flush = flush;
        this.nanos = nanos;
    }

    // RFC 1985 section 5.3 for the replies. Subdomains (@) and queues (#) are other people's ways to group mail.
    @Override
    public Reply wake(Client client, String node) {
        String domain = node.toLowerCase(Locale.ROOT);
        Long last = woken.get(domain);
        if (last == null) {
            return Reply.of(459, "4.7.1", "Node " + node + " not allowed: no domain with a route of its own");
        }
        long now = nanos.getAsLong();
        long pause = isOurs.test(client) ? PAUSE_NANOS : strangersPauseNanos;
        if (now - last < pause || !woken.replace(domain, last, now)) {
            return Reply.of(252, "2.0.0", "OK, pending messages for node " + node + " started");
        }
        log.info("session={} domain={} msg=\"woken by ETRN\"", client.session(),
                LogText.word(domain));
        flush.accept(domain);
        return Reply.of(250, "2.0.0", "OK, queuing for node " + node + " started");
    }
}
