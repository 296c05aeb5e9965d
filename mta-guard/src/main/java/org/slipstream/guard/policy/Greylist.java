package org.slipstream.guard.policy;

import org.slipstream.core.Address;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.ClientNetwork;
import org.slipstream.smtpin.policy.Ruling;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Greylisting (RFC 6647): defers the first attempt of an unknown client. A mail server has a queue
/// and tries again; much software that sends spam has none.
///
/// The first attempt is stored as network, sender and recipient. A client that repeats all three,
/// within the permitted time, has a queue, and then its network is known: further checks for each
/// of its senders would delay mail without new information. Networks are /24 and /64, because large
/// senders retry from a neighbouring address.
///
/// Memory is bounded by two maps of limited size in the order of last use. A client that fills the
/// first one with invented senders evicts honest first attempts, which delays them and loses
/// nothing. A restart forgets everything: a table on disk would cost a write for each attempt of an
/// unknown client, and forgetting costs a few minutes' delay.
///
/// Called by all sessions.
public final class Greylist implements Check {
    private static final ClientNetwork NEIGHBOURS = new ClientNetwork(24, 64);

    private final Greylisting settings;
    private final LongSupplier millis;
    private final Map<String, Long> firstAttempts;
    private final Map<String, Long> known;

    /// @param millis a monotonic clock
    Greylist(Greylisting settings, LongSupplier millis) {
        this(settings, millis, inOrderOfUse(), inOrderOfUse());
    }

    private Greylist(Greylisting settings, LongSupplier millis, Map<String, Long> firstAttempts,
            Map<String, Long> known) {
        this.settings = settings;
        this.millis = millis;
        this.firstAttempts = firstAttempts;
        this.known = known;
    }

    /// The same memory with other settings.
    Greylist with(Greylisting others) {
        return new Greylist(others, millis, firstAttempts, known);
    }

    private static Map<String, Long> inOrderOfUse() {
        return new LinkedHashMap<>(16, 0.75f, true);
    }

    private void put(Map<String, Long> memory, String key, long now) {
        memory.put(key, now);
        Iterator<String> eldest = memory.keySet().iterator();
        while (memory.size() > settings.remembered()) {
            eldest.next();
            eldest.remove();
        }
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
                : Ruling.defer("4.7.1", "Greylisted, please try again in "
                        + Math.max(1, settings.delay().toSeconds()) + " seconds");
    }

    private boolean mayPass(String network, String attempt) {
        synchronized (known) {
            return isKnown(network, attempt, millis.getAsLong());
        }
    }

    private boolean isKnown(String network, String attempt, long now) {
        Long last = known.get(network);
        if (last != null && now - last <= settings.keep().toMillis()) {
            put(known, network, now);
            return true;
        }
        Long first = firstAttempts.get(attempt);
        if (first == null || now - first > settings.window().toMillis()) {
            put(firstAttempts, attempt, now);
            return false;
        }
        if (now - first < settings.delay().toMillis()) {
            return false;
        }
        firstAttempts.remove(attempt);
        put(known, network, now);
        return true;
    }

    int remembered() {
        synchronized (known) {
            return firstAttempts.size() + known.size();
        }
    }
}
