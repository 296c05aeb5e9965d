package org.slipstream.lab.study;

import org.slipstream.core.Address;
import org.slipstream.core.DeliveryResult;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
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

/// A measurement: the production queue manager sends one message to thousands of recipients of one
/// domain, whose server has a [Door].
///
/// It ends when the first delivery run does, as in the document: the queue manager puts the message
/// back for its next attempt, or removes it. Disk and DNS answer at once, so that nothing but the
/// server limits the flow.
///
/// Without connection caching the carrier hangs up after each delivery and says so; the choice is
/// the carrier's, the queue manager and its lanes are the same in both cases.
final class StudyWorld {
    private static final QueueId MESSAGE = new QueueId(1);
    private static final Route ROUTE = new Route.Smtp("far.example",
            List.of(new Route.Host("mx.far.example", 25, 10)));
    private static final Reply OK = Reply.of(250, "2.0.0", "ok");

    private final Setup setup;
    private final Random chance;
    private final EventList clock = new EventList();
    private final Tally tally = new Tally(clock::now);
    private final Doorway doorway;
    private final QueueManager brain;
    private final Consumer<String> transcript;
    private boolean over;

    private StudyWorld(Setup setup, long seed, Consumer<String> transcript) {
        this.setup = setup;
        this.transcript = transcript;
        this.chance = new Random(seed);
        this.doorway = switch (setup.door()) {
            case Door.Limiter limiter -> new LimitedDoorway(limiter, setup.habits(), clock, chance);
            case Door.Congested congested -> new CongestedDoorway(congested, setup.habits(), clock, chance);
            case Door.Balanced balanced -> new BalancedDoorway(balanced, setup.habits(), clock, chance);
        };
        this.brain = QueueManagers.oneAtATime(setup.config(), chance, tally);
    }

    static Tally run(Setup setup, long seed) {
        return run(setup, seed, _ -> {});
    }

    /// @param transcript receives every event and every order, one line each
    static Tally run(Setup setup, long seed, Consumer<String> transcript) {
        StudyWorld world = new StudyWorld(setup, seed, transcript);
        world.run();
        return world.tally;
    }

    private void run() {
        Address sender = Address.of("list@here.example");
        tell(new QmgrEvent.MessageQueued(new MessageSummary(MESSAGE, Optional.of(sender), 0, 1_000,
                setup.recipients(), setup.recipients(), 0, 0, false, false)));
        while (!over) {
            // A brain that has just been started asks for an alarm in the past; time does not run
            // backwards.
            long alarm = Math.max(clock.now(), brain.nextAlarmMillis());
            if (clock.nextMillis() <= alarm) {
                clock.runNext();
            } else {
                clock.advance(alarm);
                tell(new QmgrEvent.Alarm());
            }
        }
    }

    private void tell(QmgrEvent event) {
        transcript.accept(clock.now() + " " + event);
        List<QmgrOrder> orders = new ArrayList<>();
        brain.step(event, clock.now(), orders::add);
        for (QmgrOrder order : orders) {
            transcript.accept("    " + order);
            carryOut(order);
        }
    }

    private void later(long millis, QmgrEvent event) {
        clock.after(millis, () -> tell(event));
    }

    private void carryOut(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Scan _ -> later(0, new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty()));
            case QmgrOrder.ReadRecipients read -> read(read);
            case QmgrOrder.FindRoute find -> later(0, new QmgrEvent.RouteKnown(find.domain(), ROUTE));
            case QmgrOrder.Open open -> open(open);
            case QmgrOrder.Deliver deliver -> deliver(deliver);
            case QmgrOrder.Close _ -> doorway.left();
            case QmgrOrder.RecordOutcome record -> {
                tally.recorded(record.outcomes());
                later(0, new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
            }
            case QmgrOrder.Defer _,QmgrOrder.Remove _ -> over = true;
            case QmgrOrder.Notify _,QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.Answered _,QmgrOrder.Verified _ ->
                throw new IllegalStateException(
                        "there is no reason for " + order);
        }
    }

    private void read(QmgrOrder.ReadRecipients read) {
        int last = Math.min(setup.recipients(), read.after() + read.limit());
        List<Recipient> batch = new ArrayList<>(last - read.after());
        for (int number = read.after() + 1; number <= last; number++) {
            batch.add(new Recipient(number, Address.of("r" + number + "@far.example")));
        }
        later(0, new QmgrEvent.RecipientsRead(MESSAGE, batch, last == setup.recipients()));
    }

    private void open(QmgrOrder.Open open) {
        clock.after(setup.habits().handover().millis(chance), () -> doorway.call(new Doorway.DoorwayCaller() {
            @Override
            public void greeted() {
                tell(new QmgrEvent.ConnectionReady(open.connection()));
            }

            @Override
            public void failed(Reply reason) {
                tell(new QmgrEvent.ConnectionFailed(open.connection(), reason, "mx.far.example"));
            }
        }));
    }

    private void deliver(QmgrOrder.Deliver deliver) {
        long millis = Setup.RECIPIENT_MILLIS * deliver.recipients().size() + setup.habits().overhead().millis(chance);
        Outcome outcome = Outcome.of(OK, "mx.far.example");
        List<RecipientOutcome> outcomes = deliver.recipients().stream()
                .map(recipient -> new RecipientOutcome(recipient.number(), outcome)).toList();
        clock.after(millis, () -> {
            if (!setup.cached()) {
                doorway.left();
            }
            tell(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(),
                    deliver.connection(), outcomes, setup.cached())));
        });
    }
}
