package org.slipstream.server.dispatch;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.qmgr.event.QmgrEvent;

import java.util.Optional;

/// The sources of deliveries. Called on threads of queue managers, connections and look-ups; none of it blocks.
public interface DeliverySources {
    /// The usual addresses for all mail.
    DeliverySources NONE = new DeliverySources() {
        @Override
        public QmgrEvent routed(QmgrEvent.RouteKnown known, SourcedMessage message) {
            return known;
        }

        @Override
        public Optional<String> line(SourcedMessage message, Address recipient) {
            return Optional.empty();
        }

        @Override
        public Optional<Reply> refusal(Route route) {
            return Optional.empty();
        }

        @Override
        public Optional<Reply> start(Route route) {
            return Optional.empty();
        }

        @Override
        public void failed(Route route, Reply reason, boolean ofSource) {
            // There is none.
        }

        @Override
        public DeliveryResult ended(Route route, DeliveryResult result) {
            return result;
        }
    };

    /// @param user empty when no user handed it in
    record SourcedMessage(QueueId id, Optional<Address> sender, String user) {}

    /// The route by the source of a message, or the failure when the pool of the message has none now.
    QmgrEvent routed(QmgrEvent.RouteKnown known, SourcedMessage message);

    /// The pool of a message and the order in which it tries the sources, for its explanation. The pool of a
    /// provider is not known before the route is.
    Optional<String> line(SourcedMessage message, Address recipient);

    /// The reason for which the source of a route cannot be used; empty when it can, and for a route without one.
    Optional<Reply> refusal(Route route);

    /// A delivery is about to start: it is counted, unless the result is the reason against it.
    Optional<Reply> start(Route route);

    /// A connection could not be opened.
    ///
    /// @param ofSource the address or the proxy of the source failed, and not the host
    void failed(Route route, Reply reason, boolean ofSource);

    /// A delivery ended. The result may be another one, when the host has refused the source and not the
    /// message.
    DeliveryResult ended(Route route, DeliveryResult result);
}
