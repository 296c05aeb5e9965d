package org.slipstream.lab.study;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.lab.EventList;
import org.slipstream.lab.QueueManagers;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Consumer;

/// One run of an [Experiment]: the production queue manager sends one message to thousands of
/// recipients of one domain.
///
/// The run ends with the first delivery attempt, as in the published document: the queue manager
/// defers the message or removes it. Disk and DNS respond immediately, so only the server limits
/// the flow.
///
/// Without a connection cache the client closes the connection after each delivery. Queue manager
/// and connection limits are the same in both cases.
final class StudySimulation {
    private static final QueueId MESSAGE = new QueueId(1);
    private static final Route ROUTE = new Route.Smtp("far.example",
            List.of(new Route.Host("mx.far.example", 25, 10)));
    private static final Reply OK = Reply.of(250, "2.0.0", "ok");

    private final Experiment experiment;
    private final Random random;
    private final EventList clock = new EventList();
    private final RunStatistics statistics = new RunStatistics(clock::now);
    private final SimulatedListener listener;
    private final QueueManager manager;
    private final Consumer<String> transcript;
    private boolean finished;

    private StudySimulation(Experiment experiment, long seed, Consumer<String> transcript) {
        this.experiment = experiment;
        this.transcript = transcript;
        this.random = new Random(seed);
        this.listener = switch (experiment.server()) {
            case ServerModel.Limited limited -> new ConnectionLimiter(limited, experiment.latencies(), clock, random);
            case ServerModel.Congested congested ->
                new FullListenQueue(congested, experiment.latencies(), clock, random);
            case ServerModel.Balanced balanced -> new LoadBalancer(balanced, experiment.latencies(), clock, random);
        };
        this.manager = QueueManagers.oneAtATime(experiment.config(), random, statistics);
    }

    static RunStatistics run(Experiment experiment, long seed) {
        return run(experiment, seed, _ -> {});
    }

    /// @param transcript receives a line for each event and each order
    static RunStatistics run(Experiment experiment, long seed, Consumer<String> transcript) {
        StudySimulation world = new StudySimulation(experiment, seed, transcript);
        world.run();
        return world.statistics;
    }

    private void run() {
        Address sender = Address.of("list@here.example");
        send(new QmgrEvent.MessageQueued(new MessageSummary(MESSAGE, Optional.of(sender), 0, 1_000,
                experiment.recipients(), experiment.recipients(), 0, 0, false, false)));
        while (!finished) {
            // A new queue manager asks for an alarm in the past. Simulated time does not go back.
            long alarm = Math.max(clock.now(), manager.nextAlarmMillis());
            if (clock.nextMillis() <= alarm) {
                clock.runNext();
            } else {
                clock.advance(alarm);
                send(new QmgrEvent.Alarm());
            }
        }
    }

    private void send(QmgrEvent event) {
        transcript.accept(clock.now() + " " + event);
        List<QmgrOrder> orders = new ArrayList<>();
        manager.step(event, clock.now(), orders::add);
        for (QmgrOrder order : orders) {
            transcript.accept("    " + order);
            execute(order);
        }
    }

    private void sendAfter(long millis, QmgrEvent event) {
        clock.after(millis, () -> send(event));
    }

    private void execute(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Scan _ -> sendAfter(0, new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty()));
            case QmgrOrder.ReadRecipients read -> read(read);
            case QmgrOrder.FindRoute find -> sendAfter(0, new QmgrEvent.RouteKnown(find.domain(), ROUTE));
            case QmgrOrder.Open open -> open(open);
            case QmgrOrder.Deliver deliver -> deliver(deliver);
            case QmgrOrder.Close _ -> listener.sessionEnded();
            case QmgrOrder.RecordOutcome record -> {
                statistics.recorded(record.outcomes());
                sendAfter(0, new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
            }
            case QmgrOrder.Defer _,QmgrOrder.Remove _ -> finished = true;
            case QmgrOrder.Notify _,QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.TakeUp _,QmgrOrder.Instruct _,QmgrOrder.Answered _,QmgrOrder.Verified _,QmgrOrder.LeaseOrder _,QmgrOrder.MoveOut _ ->
                throw new IllegalStateException(
                        "unexpected order " + order);
        }
    }

    private void read(QmgrOrder.ReadRecipients read) {
        int last = Math.min(experiment.recipients(), read.after() + read.limit());
        List<Recipient> batch = new ArrayList<>(last - read.after());
        for (int number = read.after() + 1; number <= last; number++) {
            batch.add(new Recipient(number, Address.of("r" + number + "@far.example")));
        }
        sendAfter(0, new QmgrEvent.RecipientsRead(MESSAGE, batch, last == experiment.recipients()));
    }

    private void open(QmgrOrder.Open open) {
        clock.after(experiment.latencies().handover().millis(random),
                () -> listener.connect(new SimulatedListener.ConnectionAttempt() {
                    @Override
                    public void greeted() {
                        send(new QmgrEvent.ConnectionReady(open.connection()));
                    }

                    @Override
                    public void failed(Reply reason) {
                        send(new QmgrEvent.ConnectionFailed(open.connection(), reason, "mx.far.example"));
                    }
                }));
    }

    private void deliver(QmgrOrder.Deliver deliver) {
        long millis = Experiment.RECIPIENT_MILLIS * deliver.recipients().size()
                + experiment.latencies().overhead().millis(random);
        Outcome outcome = Outcome.of(OK, "mx.far.example");
        List<RecipientOutcome> outcomes = deliver.recipients().stream()
                .map(recipient -> new RecipientOutcome(recipient.number(), outcome)).toList();
        clock.after(millis, () -> {
            if (!experiment.cached()) {
                listener.sessionEnded();
            }
            send(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(),
                    deliver.connection(), outcomes, experiment.cached())));
        });
    }
}
