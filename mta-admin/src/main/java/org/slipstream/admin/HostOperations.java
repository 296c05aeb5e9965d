package org.slipstream.admin;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// What the API needs of the destination database. Called on HTTP threads.
///
/// A host is named by its key as in [HostView#host], by its address, or by the name under which it is known; a name may
/// mean several, one for each address, port and way of presenting ourselves.
public interface HostOperations {
    Hosts hosts() throws IOException;

    /// Empty when nothing is known of such a host.
    List<HostView> show(String name) throws IOException;

    /// Forgets failures and habits, not a suspension. Empty when there was nothing.
    List<String> forget(String name) throws IOException;

    /// A host of which nothing is known can be suspended by its key or its address.
    ///
    /// @return the keys that are suspended now; empty when the name means no host
    List<String> suspend(String name, Suspension suspension) throws IOException;

    /// Empty when none was suspended.
    List<String> resume(String name) throws IOException;

    /// @param untilMillis empty for until further notice
    record Suspension(String reason, String author, Optional<Long> untilMillis) {}

    /// @param workers connections that may be open
    /// @param busy those with something to do
    /// @param opened since the start
    /// @param possibleDuplicates deliveries that were sent completely, not answered, and sent again, since the start
    /// @param withoutSeat deliveries that lost their connection and wait for another one
    record Hosts(List<HostView> hosts, int workers, int busy, long opened, long possibleDuplicates, int withoutSeat) {}

    /// @param host the key: address, port, TLS class, and where they matter source address and login
    /// @param name what the host was called last
    record HostView(String host, String name, List<StateView> states, List<ConnectionView> connections) {}

    /// @param state `active`, `idle`, `closed`, `retry`, `crowded`, `suspended`, `one-at-a-time`
    /// @param since ISO 8601 in UTC; empty where it is not known; until too
    /// @param failures in a row
    /// @param author of a suspension
    record StateView(String state, String reason, String since, String until, int failures, String author) {}

    /// @param state `opening`, `busy`, `idle`
    /// @param queued unanswered deliveries
    /// @param depth so many are wanted
    /// @param answered so far
    record ConnectionView(long number, String state, int queued, int depth, long answered, String opened,
            List<String> destinations) {}
}
