package org.slipstream.qmgr.admit;

import org.slipstream.core.Recipient;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.message.Activation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Pending route requests by domain, with the messages that wait for them. Each domain has at most
/// one request, however many messages wait.
///
/// The answer serves the waiting messages and is not cached here, because the resolver knows its
/// lifetime.
public final class RouteRequests {
    record Waiter(Activation message, List<Recipient> recipients) {}

    private final Map<String, List<Waiter>> waiters = new LinkedHashMap<>();
    private final Set<String> probed = new LinkedHashSet<>();

    /// True when the request is new and has to be sent.
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

    /// The same for address probes, which have their own waiters.
    public boolean requestForProbe(String domain) {
        return probed.add(domain) && !waiters.containsKey(domain);
    }

    List<Waiter> answered(String domain) {
        boolean isProbed = probed.remove(domain);
        List<Waiter> served = waiters.remove(domain);
        if (served == null && isProbed) {
            return List.of();
        }
        if (served == null) {
            throw new ImpossibleEventException("no route was requested for " + domain);
        }
        return served;
    }
}
