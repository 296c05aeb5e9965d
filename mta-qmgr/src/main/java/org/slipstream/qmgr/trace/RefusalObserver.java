package org.slipstream.qmgr.trace;

import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.LinkedHashMap;
import java.util.Map;

/// The refusals of other servers, each with the route that it concerns: of a connection, and of a
/// delivery. The same class reads a running server, a simulation and a journal.
///
/// A reply to several recipients of a delivery is one refusal, and a delivery has at most [#MOST].
/// Recipients that were deferred without an attempt are none. Failures of this server are none
/// either; a connection that times out is one, with the words of this server.
///
/// A delivery that succeeds costs two steps in a table. The tables are as large as the connections and
/// deliveries under way.
public final class RefusalObserver implements QmgrObserver {
    /// Different replies of one delivery.
    static final int MOST = 10;

    private final HostRefusals refusals;
    private final Map<Long, Route> opening = new LinkedHashMap<>();
    private final Map<Long, Route> underWay = new LinkedHashMap<>();

    /// Receives the refusals.
    @FunctionalInterface
    public interface HostRefusals {
        /// @param remote the source of the reply, such as `mx1.example.org[192.0.2.1]:25`
        void refused(long atMillis, Route route, String remote, Reply reply);
    }

    public RefusalObserver(HostRefusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public void ordered(long nowMillis, QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Open open -> opening.put(open.connection(), open.route());
            case QmgrOrder.Deliver deliver -> underWay.put(deliver.delivery().number(), deliver.delivery().route());
            default -> {
                // Other orders ask no host.
            }
        }
    }

    @Override
    public void happened(long nowMillis, QmgrEvent event) {
        switch (event) {
            case QmgrEvent.ConnectionReady ready -> opening.remove(ready.connection());
            case QmgrEvent.ConnectionFailed failed -> {
                Route route = opening.remove(failed.connection());
                if (route != null && !failed.ours()) {
                    refusals.refused(nowMillis, route, failed.remote(), failed.reason());
                }
            }
            case QmgrEvent.DeliveryDone(DeliveryResult result) -> {
                Route route = underWay.remove(result.delivery());
                if (route != null) {
                    done(nowMillis, route, result);
                }
            }
            default -> {
                // Other events are no replies.
            }
        }
    }

    private void done(long nowMillis, Route route, DeliveryResult result) {
        switch (result) {
            case DeliveryResult.Answered answered -> answered(nowMillis, route, answered);
            case DeliveryResult.Unanswered lost ->
                refusals.refused(nowMillis, route, lost.remote(), lost.reason());
            case DeliveryResult.OwnFailure _ -> {
                // No host is at fault.
            }
        }
    }

    private void answered(long nowMillis, Route route, DeliveryResult.Answered answered) {
        Map<Reply, String> different = new LinkedHashMap<>();
        for (RecipientOutcome each : answered.outcomes()) {
            Outcome outcome = each.outcome();
            if (!(outcome instanceof Outcome.Delivered) && different.size() < MOST) {
                different.putIfAbsent(outcome.reply(), outcome.remote());
            }
        }
        different.forEach((reply, remote) -> refusals.refused(nowMillis, route, remote, reply));
    }
}
