package org.slipstream.qmgr;

import org.slipstream.core.Recipient;
import org.slipstream.qmgr.event.ImpossibleEventException;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Domains whose route has been asked for, and who waits for the answer. One question per domain, however many messages
/// wait; the answer serves those and is not kept, because whoever answers knows how long it may be.
final class RouteRequests {
    record Waiter(Activation message, List<Recipient> recipients) {}

    private final Map<String, List<Waiter>> waiters = new LinkedHashMap<>();
    private final Set<String> probed = new LinkedHashSet<>();

    /// True when the question is new and has to be put.
    boolean request(String domain, Waiter waiter) {
        List<Waiter> known = waiters.get(domain);
        if (known != null) {
            known.add(waiter);
            return false;
        }
        List<Waiter> first = new ArrayList<>(1);
        first.add(waiter);
        waiters.put(domain, first);
        return !probed.contains(domain);
    }

    /// The same for address probes, which wait elsewhere.
    boolean requestForProbe(String domain) {
        return probed.add(domain) && !waiters.containsKey(domain);
    }

    List<Waiter> answered(String domain) {
        boolean isProbed = probed.remove(domain);
        List<Waiter> served = waiters.remove(domain);
        if (served == null && isProbed) {
            return List.of();
        }
        if (served == null) {
            throw new ImpossibleEventException("nobody asked for the route of " + domain);
        }
        return served;
    }
}
