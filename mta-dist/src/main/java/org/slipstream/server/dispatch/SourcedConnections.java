package org.slipstream.server.dispatch;

import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.smtpout.CarrierEvents;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/// The connections that have a source, between the carriers and the queue manager: what their ends say of the
/// source goes to [DeliverySources]. Each has an entry from its opening to its end.
public final class SourcedConnections implements CarrierEvents {
    private final DeliverySources sources;
    private final CarrierEvents next;
    private final Map<Long, Route> routes = new ConcurrentHashMap<>();

    public SourcedConnections(DeliverySources sources, CarrierEvents next) {
        this.sources = sources;
        this.next = next;
    }

    void opens(long connection, Route route) {
        if (route.source().isPresent()) {
            routes.put(connection, route);
        }
    }

    void closes(long connection) {
        routes.remove(connection);
    }

    @Override
    public void ready(long connection) {
        next.ready(connection);
    }

    @Override
    public void failed(long connection, Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis,
            Optional<QueuePhase.Code> phase) {
        Route route = routes.remove(connection);
        boolean ofSource = ours && phase.equals(Optional.of(QueuePhase.Code.SOURCE));
        if (route != null && (ofSource || !ours)) {
            sources.failed(route, reason, ofSource);
        }
        next.failed(connection, reason, remote, ours, retryAfterMillis, phase);
    }

    @Override
    public void done(DeliveryResult result) {
        Route route = routes.get(result.connection());
        next.done(route == null ? result : sources.ended(route, result));
        boolean over = switch (result) {
            case DeliveryResult.Answered answered -> !answered.usable();
            case DeliveryResult.OwnFailure own -> !own.usable();
            case DeliveryResult.Unanswered _ -> true;
        };
        if (over) {
            routes.remove(result.connection());
        }
    }

    @Override
    public void lost(long connection, String reason) {
        routes.remove(connection);
        next.lost(connection, reason);
    }

    @Override
    public void depth(long connection, int deliveries) {
        next.depth(connection, deliveries);
    }

    @Override
    public void pipelinesBadly(long connection, String what) {
        next.pipelinesBadly(connection, what);
    }
}
