package org.slipstream.admin.operations;

import org.slipstream.core.order.SourceVerb;

import java.util.List;
import java.util.Optional;

/// The sources of outgoing connections, as the API uses them. Called on HTTP threads.
public interface SourceOperations {
    /// @param addresses literals
    /// @param hostname in EHLO
    /// @param exit `none`, or the address of the proxy
    /// @param pools that have the source
    /// @param state `ready`, `suspended`, or `warming`
    /// @param until end of the suspension, ISO 8601 in UTC; empty without an end, and when it is not suspended
    /// @param reason of the suspension
    /// @param day of the warm-up, 1 is the first; 0 for a source without one or behind it
    /// @param limit messages to each provider on this day; -1 without a limit
    /// @param deliveries begun since the start of the server
    /// @param providers those with a suspension or a count of their own
    record SourceView(String name, List<String> addresses, String hostname, String exit, List<String> pools,
            String state, String until, String reason, int day, int limit, long deliveries,
            List<SourceProviderView> providers) {
        public SourceView {
            addresses = List.copyOf(addresses);
            pools = List.copyOf(pools);
            providers = List.copyOf(providers);
        }
    }

    /// A source and one provider.
    ///
    /// @param used messages on this day of the warm-up
    /// @param left until its end; -1 without a limit
    /// @param state `ready`, `suspended`, or `used-up`
    record SourceProviderView(String provider, long used, long left, String state, String until, String reason) {}

    record SourcesView(List<SourceView> sources) {
        public SourcesView {
            sources = List.copyOf(sources);
        }
    }

    SourcesView sources();

    /// False when there is no such source, or no suspension to end.
    ///
    /// @throws IllegalArgumentException with the sentence for a wrong provider
    boolean order(String name, SourceVerb order);
}
