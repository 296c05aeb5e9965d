package org.slipstream.dist.door;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.Client;
import org.slipstream.smtpin.Etrn;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/// A host that was away asks for the mail that waits for it (ETRN, RFC 1985).
///
/// Whoever asks gets nothing but an attempt on the usual way, so nobody has to prove who he is. But attempts cost, and a stranger could ask for
/// all domains of the world: it is done for domains that have a route of their own in the settings, and once in a while only.
///
/// Any thread.
public final class Wake implements Etrn {
    private static final Logger log = LoggerFactory.getLogger(Wake.class);
    private static final long PAUSE_NANOS = 10_000_000_000L;

    /// When each domain was last woken. The domains are those of the settings, so it does not grow.
    private final Map<String, Long> woken;
    private final Consumer<String> flush;
    private final LongSupplier nanos;

    /// @param routed domains with a route of their own; suffixes and `*` are none
    /// @param flush makes what waits for a domain due now; must not block
    public Wake(Collection<String> routed, Consumer<String> flush, LongSupplier nanos) {
        long longAgo = nanos.getAsLong() - PAUSE_NANOS;
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
        if (now - last < PAUSE_NANOS || !woken.replace(domain, last, now)) {
            return Reply.of(252, "2.0.0", "OK, pending messages for node " + node + " started");
        }
        log.info("session={} domain={} msg=\"woken by ETRN\"", client.session(),
                LogText.word(domain));
        flush.accept(domain);
        return Reply.of(250, "2.0.0", "OK, queuing for node " + node + " started");
    }
}
