package org.slipstream.server.dispatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.config.RouteTable;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.util.Optional;

/// Routes with the source of the message that asks. A question that names no message, such as that of an address
/// probe, gets the usual addresses.
public final class SourcedRoutes implements OrderDispatcher.Routes {
    private static final Logger log = LoggerFactory.getLogger(SourcedRoutes.class);

    private final OrderDispatcher.Routes routes;
    private final DeliverySources sources;
    private final Spool spool;

    public SourcedRoutes(OrderDispatcher.Routes routes, DeliverySources sources, Spool spool) {
        this.routes = routes;
        this.sources = sources;
        this.spool = spool;
    }

    /// The envelope of a message that is in memory no more is read from disk.
    @Override
    public boolean isQuick(String question) {
        return routes.isQuick(question)
                && RouteTable.message(question).map(id -> spool.inMemory(id).isPresent()).orElse(true);
    }

    @Override
    public QmgrEvent find(String question) {
        QmgrEvent answer = routes.find(question);
        Optional<QueueId> message = RouteTable.message(question);
        return message.isPresent() && answer instanceof QmgrEvent.RouteKnown known
                && known.route() instanceof Route.Smtp
                        ? sourced(known, message.get())
                        : answer;
    }

    private QmgrEvent sourced(QmgrEvent.RouteKnown known, QueueId id) {
        try {
            Optional<Envelope> fresh = spool.inMemory(id).map(Spool.InMemory::envelope);
            Envelope envelope = (fresh.isPresent() ? fresh : spool.envelope(id))
                    .orElseThrow(() -> new IOException("the queue index has no message " + id));
            return sources.routed(known, new DeliverySources.SourcedMessage(id, envelope.sender(),
                    envelope.origin().user()));
        } catch (IOException unreadable) {
            log.warn("event=source-not-chosen queue={} next=\"deferred\" error=\"{}\"", id,
                    LogText.text(FailureWords.of(unreadable)));
            return new QmgrEvent.RouteFailed(known.domain(), Reply.of(451, "4.3.0", "queue file read error"));
        }
    }
}
