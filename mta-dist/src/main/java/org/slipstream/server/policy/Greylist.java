package org.slipstream.server.policy;

import org.slipstream.core.Address;
import org.slipstream.server.config.Config;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.ClientNetwork;
import org.slipstream.smtpin.policy.Ruling;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Puts off who writes for the first time (RFC 6647): a mail server has a queue and comes back, much of what sends spam has
/// none.
///
/// What is remembered of a first attempt is network, sender and recipient. Who comes back with all three, not too soon and not too
/// late, has shown that there is a queue, and then the network is known: a second proof for each of its senders would delay mail and
/// find out nothing. Networks are /24 and /64, because big senders come back from a neighbour.
///
/// Memory is bounded by two maps in the order of their last use, each with so many places. Somebody who fills the first with made-up
/// senders makes honest first attempts be forgotten, which delays them and loses nothing. A restart forgets everything: the price of
/// keeping a table of strangers on disk is paid for each of their attempts, and that of forgetting by a few minutes' delay.
///
/// Called by all sessions.
public final class Greylist implements Check {
    private static final ClientNetwork NEIGHBOURS = new ClientNetwork(24, 64);

    private final Config.Greylisting settings;
    private final LongSupplier millis;
    private final Map<String, Long> firstAttempts;
    private final Map<String, Long> known;

    /// @param millis since any moment, never going back
    Greylist(Config.Greylisting settings, LongSupplier millis) {
        this.settings = settings;
        this.millis = millis;
        this.firstAttempts = bounded(settings.remembered());
        this.known = bounded(settings.remembered());
    }

    private static Map<String, Long> bounded(int places) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                return size() > places;
            }
        };
    }

    @Override
    public String name() {
        return "greylist";
    }

    @Override
    public Ruling rcpt(Client client, Rcpt rcpt) {
        String network = NEIGHBOURS.key(client.address());
        String attempt = network + ' ' + rcpt.sender().map(Address::key).orElse("") + ' ' + rcpt.recipient().key();
        return mayPass(network, attempt)
                ? Ruling.pass()
                : Ruling.defer("4.7.1", "We do not know you yet, please come back in "
                        + Math.max(1, settings.delay().toSeconds()) + " seconds");
    }

    private synchronized boolean mayPass(String network, String attempt) {
        long now = millis.getAsLong();
        Long last = known.get(network);
        if (last != null && now - last <= settings.keep().toMillis()) {
            known.put(network, now);
            return true;
        }
        Long first = firstAttempts.get(attempt);
        if (first == null || now - first > settings.window().toMillis()) {
            firstAttempts.put(attempt, now);
            return false;
        }
        if (now - first < settings.delay().toMillis()) {
            return false;
        }
        firstAttempts.remove(attempt);
        known.put(network, now);
        return true;
    }

    synchronized int remembered() {
        return firstAttempts.size() + known.size();
    }
}
