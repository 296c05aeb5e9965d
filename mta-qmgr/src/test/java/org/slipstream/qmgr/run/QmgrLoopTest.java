package org.slipstream.qmgr.run;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.Suspension;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrObserver;
import org.slipstream.testkit.SimulatedClock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The loop: events become orders, and failures neither block nor lose anything.
@Timeout(30)
class QmgrLoopTest {
    private final BlockingQueue<QmgrOrder> dispatcher = new LinkedBlockingQueue<>();
    private final CompletableFuture<Throwable> broken = new CompletableFuture<>();
    private final SimulatedClock clock = new SimulatedClock(Instant.ofEpochMilli(1_000_000));
    private final Inbox inbox = new Inbox(2);
    private QmgrLoop loop = loop(QmgrConfig.defaults().plainSeating(new Random(1)));

    private QmgrLoop loop(Seating seating) {
        return new QmgrLoop(new QueueManager(QmgrConfig.defaults(), seating, new Random(1)), inbox, dispatcher::add,
                clock::millis,
                broken::complete);
    }

    @AfterEach
    void stop() throws InterruptedException {
        loop.stop(Duration.ZERO.plusMillis(1));
    }

    private static MessageSummary message(long id) {
        return new MessageSummary(new QueueId(id), Optional.of(Address.of("s@here.example")), 1_000_000, 10, 1, 1, 0, 0,
                false, false);
    }

    private <T extends QmgrOrder> T next(Class<T> kind) throws InterruptedException {
        QmgrOrder order = dispatcher.poll(90, SECONDS);
        assertThat(order).isInstanceOf(kind);
        return kind.cast(order);
    }

    private void started() throws InterruptedException {
        loop.start();
        for (QueueName queue : QueueName.values()) {
            assertThat(next(QmgrOrder.Scan.class).queue()).isEqualTo(queue);
            inbox.answer(new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty()));
        }
    }

    private long runningDelivery() throws InterruptedException {
        inbox.offerArrival(message(1));
        next(QmgrOrder.ReadRecipients.class);
        inbox.answer(new QmgrEvent.RecipientsRead(new QueueId(1),
                List.of(new Recipient(1, Address.of("a@far.example"))), true));
        next(QmgrOrder.FindRoute.class);
        inbox.answer(new QmgrEvent.RouteKnown("far.example", new Route.Discard("far.example")));
        inbox.answer(new QmgrEvent.ConnectionReady(next(QmgrOrder.Open.class).connection()));
        return next(QmgrOrder.Deliver.class).delivery().number();
    }

    private QmgrEvent delivered(long delivery) {
        return new QmgrEvent.DeliveryDone(new org.slipstream.core.queue.DeliveryResult.Answered(delivery, 1,
                List.of(new org.slipstream.core.queue.RecipientOutcome(1,
                        new org.slipstream.core.queue.Outcome.Delivered(org.slipstream.core.Reply.of(250, "ok"),
                                "mx"))),
                true));
    }

    @Test
    void anObserverGetsEveryEventAndPumpBeforeTheOrdersThatFollow() throws Exception {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        QmgrObserver observer = new QmgrObserver() {
            @Override
            public void happened(long nowMillis, QmgrEvent event) {
                seen.add(event.getClass().getSimpleName());
            }

            @Override
            public void pumps(long nowMillis) {
                seen.add("pump");
            }

            @Override
            public void ordered(long nowMillis, QmgrOrder order) {
                seen.add("-> " + order.getClass().getSimpleName());
            }
        };
        loop = new QmgrLoop(
                new QueueManager(QmgrConfig.defaults(), QmgrConfig.defaults().plainSeating(new Random(1)),
                        new Random(1)),
                inbox, dispatcher::add, clock::millis, broken::complete, observer);
        started();
        inbox.answer(delivered(77));
        runningDelivery();
        // A stop with a short limit may end the loop before it takes the event.
        Thread.ofVirtual().start(new FutureTask<>(() -> loop.stop(Duration.ofSeconds(90))));
        while (!seen.contains("Stopping")) {
            loop.inspect(QueueQueries::isQuiet).get(90, SECONDS);
        }
        loop.stop(Duration.ofMillis(1));
        List<String> pumped = seen.stream().filter(each -> !each.equals("pump") && !each.equals("Alarm")).toList();
        assertThat(pumped).containsSubsequence("-> Scan", "ScanDone", "-> Scan", "ScanDone", "DeliveryDone",
                "MessageQueued", "-> ReadRecipients", "RecipientsRead", "-> FindRoute", "RouteKnown", "-> Open",
                "ConnectionReady", "-> Deliver", "Stopping");
        assertThat(seen.get(seen.indexOf("-> Open") - 1)).as("deliveries are chosen by a pump").isEqualTo("pump");
    }

    @Test
    void aFreshLoopLooksAtOnceForWhatARestartLeftBehind() throws InterruptedException {
        loop.start();
        assertThat(next(QmgrOrder.Scan.class).nowMillis()).isEqualTo(1_000_000);
    }

    @Test
    void anArrivalIsReadAndTheAlarmRingsWithTheClock() throws Exception {
        started();
        assertThat(inbox.offerArrival(message(1))).isTrue();
        assertThat(next(QmgrOrder.ReadRecipients.class).id()).isEqualTo(new QueueId(1));
        clock.advanceMillis(300_000);
        inbox.wake();
        next(QmgrOrder.Scan.class);
    }

    @Test
    void aFullInboxRefusesArrivalsNeverAnswersAndAScanFollows() throws Exception {
        assertThat(inbox.offerArrival(message(1))).isTrue();
        assertThat(inbox.offerArrival(message(2))).isTrue();
        assertThat(inbox.offerArrival(message(3))).isFalse();
        inbox.answer(new QmgrEvent.Alarm());
        loop.start();
        next(QmgrOrder.Scan.class);
        next(QmgrOrder.ReadRecipients.class);
        next(QmgrOrder.ReadRecipients.class);
        assertThat(inbox.offerArrival(message(4))).isTrue();
        next(QmgrOrder.ReadRecipients.class);
    }

    @Test
    void aMissedArrivalIsScannedFor() throws Exception {
        started();
        loop.inspect(_ -> {
            inbox.offerArrival(message(1));
            inbox.offerArrival(message(2));
            return inbox.offerArrival(message(3));
        }).get(90, SECONDS);
        clock.advanceMillis(1_000); // the gap between two scans
        assertThat(List.of(dispatcher.take(), dispatcher.take(), dispatcher.take()))
                .anyMatch(QmgrOrder.Scan.class::isInstance);
    }

    @Test
    void inspectionsRunBetweenEvents() throws Exception {
        started();
        inbox.offerArrival(message(1));
        next(QmgrOrder.ReadRecipients.class);
        assertThat(
                loop.inspect(manager -> manager.snapshot(clock.millis()).messages().getFirst().why()).get(90, SECONDS))
                .isEqualTo("its recipients are being read");
        assertThatThrownBy(() -> loop.inspect(_ -> {
            throw new IllegalArgumentException("bad question");
        }).get(90, SECONDS)).hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(loop.inspect(manager -> manager.snapshot(0).messages()).get(90, SECONDS)).hasSize(1);
    }

    @Test
    void anImpossibleEventIsRefusedAndTheLoopGoesOn() throws Exception {
        started();
        inbox.answer(new QmgrEvent.ConnectionReady(99));
        inbox.offerArrival(message(1));
        next(QmgrOrder.ReadRecipients.class);
        assertThat(broken).isNotDone();
    }

    /// An answer that comes twice. Its sender has a wrong view of the message.
    @Test
    void theMessageOfAnImpossibleEventIsSetAsideAndNothingElse() throws Exception {
        started();
        long delivery = runningDelivery();
        inbox.offerArrival(message(2));
        next(QmgrOrder.ReadRecipients.class);
        inbox.answer(new QmgrEvent.RecipientsRead(new QueueId(1), List.of(), true)); // nobody asked for more
        assertThat(heldByTheServer(next(QmgrOrder.Instruct.class), new QueueId(1))).contains("inconsistent");
        inbox.answer(delivered(delivery));
        QmgrOrder.RecordOutcome record = next(QmgrOrder.RecordOutcome.class);
        assertThat(loop.inspect(manager -> manager.about(new QueueId(2), 0)).get(90, SECONDS)).isPresent();

        // It is delivered by now, so there is nothing left to hold.
        inbox.answer(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
        next(QmgrOrder.Remove.class);
        assertThat(broken).isNotDone();
    }

    @Test
    void theRestOfAMessageThatWasSetAsideIsHeld() throws Exception {
        started();
        inbox.offerArrival(message(1));
        next(QmgrOrder.ReadRecipients.class);
        inbox.answer(new QmgrEvent.OutcomeRecorded(new QueueId(1), 7)); // nothing is to be recorded
        assertThat(heldByTheServer(next(QmgrOrder.Instruct.class), new QueueId(1))).contains("inconsistent");
        inbox.answer(new QmgrEvent.RecipientsRead(new QueueId(1),
                List.of(new Recipient(1, Address.of("a@far.example"))), true));
        assertThat(next(QmgrOrder.SetHold.class)).isEqualTo(new QmgrOrder.SetHold(new QueueId(1), true));
        inbox.answer(new QmgrEvent.Filed(Optional.of(new QueueId(1))));
        inbox.offerArrival(message(2));
        next(QmgrOrder.ReadRecipients.class);
        assertThat(broken).isNotDone();
    }

    @Test
    void ordersDueBeforeARefusedEventAreCarriedOut() throws Exception {
        started();
        long delivery = runningDelivery();
        inbox.answer(delivered(delivery));
        next(QmgrOrder.RecordOutcome.class);
        clock.advanceMillis(1_000); // the idle lane's time is over, and the first to notice is an event that cannot happen
        inbox.answer(new QmgrEvent.ConnectionReady(99));
        next(QmgrOrder.Close.class);
    }

    @Test
    void theLoopReportsArrivalsFasterThanAdmission() throws Exception {
        started();
        assertThat(loop.isBehindArrivals()).isFalse();
        inbox.answer(new QmgrEvent.ArrivalsMissed());
        loop.inspect(QueueQueries::isQuiet).get(90, SECONDS);
        loop.inspect(QueueQueries::isQuiet).get(90, SECONDS); // a turn later at the latest
        assertThat(loop.isBehindArrivals()).isTrue();
    }

    @Test
    void aFailedQueueManagerStopsAndNotifiesItsOwner() throws Exception {
        loop = loop(new Seating(_ -> {
            throw new IllegalStateException("broken");
        }, new DestDb(PlaceRules.defaults().memory()), HostKeys.BY_NAME, HostMemory.NONE, new Random(1)));
        started();
        inbox.offerArrival(message(1));
        next(QmgrOrder.ReadRecipients.class);
        inbox.answer(new QmgrEvent.RecipientsRead(new QueueId(1),
                List.of(new Recipient(1, Address.of("a@far.example"))), true));
        next(QmgrOrder.FindRoute.class);
        inbox.answer(new QmgrEvent.RouteKnown("far.example", new Route.Discard("far.example")));

        assertThat(broken.get(90, SECONDS)).hasMessage("broken");
        assertThat(inbox.offerArrival(message(2))).isFalse();
        assertThatThrownBy(() -> loop.inspect(QueueQueries::isQuiet).get(90, SECONDS))
                .hasMessageContaining("has stopped");
        assertThat(dispatcher).as("a restart does not meet that message again").hasSize(1);
        assertThat(heldByTheServer(next(QmgrOrder.Instruct.class), new QueueId(1)))
                .isEqualTo("it cannot be processed: broken");
    }

    /// The reason of a hold that `explain` tells, with the server as its author.
    private static String heldByTheServer(QmgrOrder.Instruct order, QueueId id) {
        assertThat(order.id()).isEqualTo(id);
        Instruction.HoldNote note = ((Instruction.Hold) order.instruction()).note().orElseThrow();
        assertThat(note.author()).isEqualTo("the server");
        return note.reason();
    }

    /// Its instruction cannot be read: the record of it has no route, and no word that there is none.
    @Test
    void aMessageThatCannotBeProcessedIsPutOnHoldAndAllOthersGoOn() throws Exception {
        started();
        MessageSummary odd = new MessageSummary(new QueueId(7), Optional.of(Address.of("s@here.example")), 1_000_000,
                10, 1, 1, 0, 0, false, 0, DeliveryOptions.NONE,
                new Instructions(Optional.empty(), null, OptionalInt.empty(), Optional.empty()));
        inbox.offerArrival(odd);
        next(QmgrOrder.ReadRecipients.class);
        inbox.answer(new QmgrEvent.RecipientsRead(odd.id(),
                List.of(new Recipient(1, Address.of("a@far.example"))), true));
        QmgrOrder.RecordOutcome record = next(QmgrOrder.RecordOutcome.class);
        assertThat(record.outcomes().getFirst().outcome().reply().toString())
                .startsWith("451 4.3.0 the message cannot be processed and is on hold: ");
        assertThat(heldByTheServer(next(QmgrOrder.Instruct.class), odd.id())).startsWith("it cannot be processed: ");
        inbox.answer(new QmgrEvent.Instructed(odd.id(), QmgrEvent.Operator.NO_TICKET));
        inbox.answer(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
        assertThat(next(QmgrOrder.SetHold.class)).isEqualTo(new QmgrOrder.SetHold(odd.id(), true));
        inbox.answer(new QmgrEvent.Filed(Optional.of(odd.id())));

        inbox.answer(delivered(runningDelivery()));
        assertThat(next(QmgrOrder.RecordOutcome.class).id()).isEqualTo(new QueueId(1));
        assertThat(broken).isNotDone();
    }

    /// A line end in the reason would be one in the reply.
    @Test
    void theReasonOfAReturnIsOnOneLine() throws Exception {
        started();
        inbox.offerArrival(new MessageSummary(new QueueId(7), Optional.of(Address.of("s@here.example")), 1_000_000,
                10, 1, 1, 0, 0, false, 0, DeliveryOptions.NONE, Instructions.NONE.with(
                        new Instruction.Return(Instruction.Cause.CANCELLED, "closed\r\nwrite to bob\u2028\u202e"))));
        next(QmgrOrder.ReadRecipients.class);
        inbox.answer(new QmgrEvent.RecipientsRead(new QueueId(7),
                List.of(new Recipient(1, Address.of("a@far.example"))), true));
        assertThat(next(QmgrOrder.RecordOutcome.class).outcomes().getFirst().outcome().reply().text())
                .isEqualTo("delivery cancelled by administrator: closed write to bob");
    }

    /// Its name and its reason are part of the reply that its mail gets, and of the search for that mail.
    @Test
    void textsOfASuspensionAreOnOneLine() throws Exception {
        started();
        String name = "a.example\nb.example";
        inbox.answer(new QmgrEvent.Operator(new QmgrEvent.OperatorCommand.Begin(new Suspension(
                Suspension.SuspensionScope.DESTINATION, name, "their\ndisk", "ann\r", 0, Long.MAX_VALUE))));
        inbox.answer(new QmgrEvent.Operator(
                new QmgrEvent.OperatorCommand.End(Suspension.SuspensionScope.DESTINATION.kind(), name)));
        assertThat(next(QmgrOrder.MakeDue.class).reply().orElseThrow())
                .startsWith("destination a.example b.example is suspended by ann ").endsWith(": their disk");
    }

    @Test
    void aStopWaitsForWhatRunsAndItsRecord() throws Exception {
        started();
        long delivery = runningDelivery();
        CompletableFuture<Boolean> stopped = CompletableFuture.supplyAsync(() -> {
            try {
                return loop.stop(Duration.ofSeconds(20));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        inbox.answer(delivered(delivery));
        QmgrOrder.RecordOutcome record = next(QmgrOrder.RecordOutcome.class);
        assertThat(stopped).isNotDone();
        inbox.answer(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
        next(QmgrOrder.Remove.class);
        inbox.answer(new QmgrEvent.Filed(Optional.of(new QueueId(1))));

        assertThat(stopped.get(90, SECONDS)).isTrue();
    }

    @Test
    void aStopEndsAtItsTimeLimit() throws Exception {
        started();
        runningDelivery();
        assertThat(loop.stop(Duration.ofMillis(20))).isFalse();
    }
}
