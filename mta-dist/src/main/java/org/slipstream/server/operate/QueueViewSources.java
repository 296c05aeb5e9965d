package org.slipstream.server.operate;

import org.slipstream.admin.operations.Operations.ConnectionsView;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.server.dispatch.DeliverySources;
import org.slipstream.server.dispatch.Verifications;
import org.slipstream.server.hosts.SuspendedHost;
import org.slipstream.server.view.MailCounters;
import org.slipstream.smtpout.WirePhase;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// The sources of [QueueView] besides the queue index and the queue manager.
///
/// @param delivers false when `queue.deliver` is
/// @param wire phase of the connection of this number
/// @param connections numbers of connections; asked on the queue manager's thread
/// @param suspended the suspended hosts at a time; asked on the queue manager's thread
/// @param explanations placement of waiting deliveries
/// @param stuck messages that waited although nothing held them
/// @param traces the history of messages
/// @param traffic counters of mail
/// @param tlsLine the line of the settings that demands TLS for mail to a domain
/// @param deliverySources the sources of connections
/// @param transport of a question about a route, by the settings
/// @param verifications empty while the queue manager has no probes
public record QueueViewSources(boolean delivers, LongFunction<Optional<WirePhase>> wire,
        LongFunction<List<SuspendedHost>> suspended, Supplier<ConnectionsView> connections,
        Explanations explanations, Stuck stuck, Traces traces, MailCounters traffic,
        Function<String, Optional<String>> tlsLine, UnaryOperator<String> transport,
        DeliverySources deliverySources, Optional<Verifications> verifications) {
    /// All mail leaves by the usual addresses.
    public QueueViewSources(boolean delivers, LongFunction<Optional<WirePhase>> wire,
            LongFunction<List<SuspendedHost>> suspended, Supplier<ConnectionsView> connections,
            Explanations explanations, Stuck stuck, Traces traces, MailCounters traffic,
            Function<String, Optional<String>> tlsLine, UnaryOperator<String> transport,
            Optional<Verifications> verifications) {
        this(delivers, wire, suspended, connections, explanations, stuck, traces, traffic, tlsLine,
                transport, DeliverySources.NONE, verifications);
    }

    /// Messages that wait although nothing holds them.
    ///
    /// @param total since the start; @param now those that still wait
    public record Stuck(LongSupplier total, IntSupplier now) {}

    /// Called on the queue manager's thread.
    @FunctionalInterface
    public interface Explanations {
        /// The seat that a delivery of this message would get now; empty when it does not wait for
        /// one.
        Optional<Seat> explain(QueueQueries manager, QueueId id, long nowMillis);
    }
}
