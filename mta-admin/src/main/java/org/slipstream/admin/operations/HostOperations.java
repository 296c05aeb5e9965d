package org.slipstream.admin.operations;

import org.slipstream.core.order.HostOrder;

import java.io.IOException;
import java.util.List;

/// The destination database as the API uses it. Called on HTTP threads.
///
/// A host is named by its key as in [HostView#host], by its address, or by its host name. A host
/// name may match several keys, one for each address, port and set of terms.
public interface HostOperations {
    Hosts hosts() throws IOException;

    /// Empty when the database has no such host.
    List<HostView> show(String name) throws IOException;

    /// Carries out an order. A host without a record can be suspended by its key or its address.
    ///
    /// @return the keys that the order changed; empty when the name matches no host, or there was nothing to change
    List<String> order(String name, HostOrder order) throws IOException;

    /// @param workers the limit of open connections
    /// @param busy connections with a delivery
    /// @param opened since the start
    /// @param possibleDuplicates deliveries that were sent completely, not answered, and sent
    /// again, since the start
    /// @param withoutSeat deliveries that lost their connection and wait for another one
    record Hosts(List<HostView> hosts, int workers, int busy, long opened, long possibleDuplicates, int withoutSeat) {}

    /// @param host the key: address, port, TLS class, and if set, source address and login
    /// @param name the latest host name
    record HostView(String host, String name, List<StateView> states, List<ConnectionView> connections) {
        public boolean hasSuspension() {
            return states.stream().anyMatch(each -> each.state().equals("suspended"));
        }
    }

    /// @param state `active`, `idle`, `closed`, `retry`, `crowded`, `suspended`, `one-at-a-time`
    /// @param since ISO 8601 in UTC, as is until; empty when unknown
    /// @param failures consecutive
    /// @param author of a suspension
    record StateView(String state, String reason, String since, String until, int failures, String author) {}

    /// @param state `opening`, `busy`, `idle`
    /// @param queued unanswered deliveries
    /// @param depth the target number of unanswered deliveries
    /// @param answered so far
    record ConnectionView(long number, String state, int queued, int depth, long answered, String opened,
            List<String> destinations) {}
}
