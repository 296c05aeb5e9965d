package org.slipstream.qmgr.place;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A simulated environment of a whole queue manager. It answers all orders except those for
/// connections and deliveries, which a test answers.
final class SeatingStory {
    static final Reply REFUSED = Reply.of(450, "4.4.1", "connection refused");

    final List<QmgrOrder> orders = new ArrayList<>();
    final List<HostRow.Change> remembered = new ArrayList<>();
    final List<String> windows = new ArrayList<>();
    final Map<QueueId, List<Recipient>> mail = new LinkedHashMap<>();
    Map<String, Route> routes = new LinkedHashMap<>();
    QueueManager manager;
    Seating seating;
    long now = 1_000_000;

    SeatingStory() {
        start(PlaceRules.defaults());
    }

    /// Begins again with these rules.
    final void start(PlaceRules rules) {
        start(rules, QmgrConfig.defaults());
    }

    final void start(PlaceRules rules, QmgrConfig config) {
        seating = new Seating(config.placement(rules),
                new DestDb(rules.memory()), HostKeys.BY_NAME, remembered::addAll, new Random(1));
        manager = new QueueManager(config, seating, new Random(1), new QmgrTrace() {
            @Override
            public void feedback(DestinationQueue line, FeedbackEvent event, int running,
                    Destination.FlowFigures figures) {
                windows.add(event + " " + figures.window());
            }
        });
        orders.clear();
        happens(new QmgrEvent.Alarm());
    }

    void happens(QmgrEvent event) {
        List<QmgrOrder> fresh = new ArrayList<>();
        manager.step(event, now, fresh::add);
        orders.addAll(fresh);
        for (QmgrOrder order : fresh) {
            switch (order) {
                case QmgrOrder.ReadRecipients read ->
                    happens(new QmgrEvent.RecipientsRead(read.id(), mail.get(read.id()), true));
                case QmgrOrder.FindRoute find ->
                    happens(new QmgrEvent.RouteKnown(find.domain(), routes.get(find.domain())));
                case QmgrOrder.RecordOutcome record ->
                    happens(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
                case QmgrOrder.Defer defer -> happens(new QmgrEvent.Filed(Optional.of(defer.id())));
                case QmgrOrder.Remove remove -> happens(new QmgrEvent.Filed(Optional.of(remove.id())));
                case QmgrOrder.Notify notify -> happens(new QmgrEvent.Notified(notify, true));
                case QmgrOrder.Scan _ ->
                    happens(new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty()));
                case QmgrOrder.Open _,QmgrOrder.Deliver _,QmgrOrder.Close _,QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.TakeUp _,QmgrOrder.Instruct _,QmgrOrder.Answered _,QmgrOrder.Verified _,QmgrOrder.LeaseOrder _,QmgrOrder.MoveOut _ -> {
                    // The test answers.
                }
            }
        }
    }

    void alarm(long millis) {
        now = Math.max(now, millis);
        happens(new QmgrEvent.Alarm());
    }

    QueueId queue(String... recipients) {
        QueueId id = new QueueId(mail.size() + 1);
        mail.put(id, IntStream.range(0, recipients.length)
                .mapToObj(i -> new Recipient(i + 1, Address.of(recipients[i]))).toList());
        happens(new QmgrEvent.MessageQueued(
                new MessageSummary(id, Optional.of(Address.of("s@here.example")), now, 1_000,
                        recipients.length, recipients.length, 0, 0, false, false)));
        return id;
    }

    void route(String domain, String... hostsByPreference) {
        List<Route.Host> hosts = IntStream.range(0, hostsByPreference.length).boxed()
                .flatMap(i -> Stream.of(hostsByPreference[i].split(",")).map(name -> new Route.Host(name, 25, i)))
                .toList();
        routes.put(domain, new Route.Smtp(domain, hosts));
    }

    <T extends QmgrOrder> List<T> ordered(Class<T> kind) {
        return orders.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    QmgrOrder.Open lastOpen() {
        return ordered(QmgrOrder.Open.class).getLast();
    }

    String why(QueueId id) {
        return manager.queries().snapshot(now).messages().stream().filter(m -> m.id().equals(id)).findFirst()
                .orElseThrow().why();
    }

    void done(QmgrOrder.Deliver deliver) {
        Outcome ok = new Outcome.Delivered(Reply.of(250, "2.0.0", "ok"), "mx");
        happens(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(),
                deliver.connection(), deliver.delivery().all(ok), true)));
    }

    void unanswered(QmgrOrder.Deliver deliver, boolean mayHaveArrived) {
        happens(new QmgrEvent.DeliveryDone(new DeliveryResult.Unanswered(deliver.delivery().number(),
                deliver.connection(), REFUSED, "mx", mayHaveArrived)));
    }

    void refuse(QmgrOrder.Open open) {
        happens(new QmgrEvent.ConnectionFailed(open.connection(), REFUSED, "mx"));
    }

    /// Ten messages for a destination whose hosts all refuse: the cohorts kill it.
    void dies(String domain) {
        int before = ordered(QmgrOrder.Open.class).size();
        for (int i = 0; i < 10; i++) {
            queue("a@" + domain);
        }
        for (int i = before; i < ordered(QmgrOrder.Open.class).size(); i++) {
            refuse(ordered(QmgrOrder.Open.class).get(i));
        }
    }

    /// Answers connections and deliveries, in order, until there are no more.
    void work() {
        for (int i = 0; i < orders.size(); i++) {
            switch (orders.get(i)) {
                case QmgrOrder.Open open -> happens(new QmgrEvent.ConnectionReady(open.connection()));
                case QmgrOrder.Deliver deliver -> done(deliver);
                case QmgrOrder _ -> {
                    // Answered, or not to be answered.
                }
            }
        }
    }

    void work(List<QmgrOrder.Deliver> deliveries) {
        deliveries.forEach(this::done);
    }
}
