package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// A mailing to a fast server with a round trip of 300 ms and many pipelined deliveries on each
/// connection. Each delivery takes long, but none is slow: spacing them would lose the benefit of
/// pipelining.
class FarPeerTest {
    private static final long ROUND_TRIP_MILLIS = 300;
    private static final int DEPTH = 50;

    private record Happening(long atMillis, long number, QmgrEvent event) {}

    /// @param spaced the setting
    private static final class Far {
        private final PriorityQueue<Happening> planned = new PriorityQueue<>(
                Comparator.comparingLong(Happening::atMillis).thenComparingLong(Happening::number));
        private final int recipients;
        private final QueueManager manager;
        private final int[] underWay = new int[1_000];
        private int mostUnderWay;
        private long numbers;
        private long now = 1_000_000;
        private boolean over;

        Far(int recipients, boolean spaced) {
            this.recipients = recipients;
            QmgrConfig config = QmgrConfig.defaults().withSpacedStarts(spaced).withTransports(
                    TransportTable.of(TransportSettings.defaults().withRecipientsPerDelivery(1)));
            PlaceRules rules = PlaceRules.defaults();
            this.manager = new QueueManager(config, new Seating(_ -> rules, new DestDb(rules.memory()),
                    HostKeys.BY_NAME, HostMemory.NONE, new Random(1)), new Random(1));
        }

        long deliveredAfterMillis() {
            long begin = now;
            tell(new QmgrEvent.MessageQueued(
                    new MessageSummary(new QueueId(1), Optional.of(Address.of("l@here.example")),
                            now, 1_000, recipients, recipients, 0, 0, false, false)));
            while (!over) {
                long alarm = Math.max(now, manager.nextAlarmMillis());
                if (!planned.isEmpty() && planned.peek().atMillis() <= alarm) {
                    Happening next = planned.remove();
                    now = next.atMillis();
                    tell(next.event());
                } else {
                    now = alarm;
                    tell(new QmgrEvent.Alarm());
                }
            }
            return now - begin;
        }

        private void after(long millis, QmgrEvent event) {
            planned.add(new Happening(now + millis, ++numbers, event));
        }

        private void tell(QmgrEvent event) {
            if (event instanceof QmgrEvent.DeliveryDone done) {
                underWay[(int) done.connection()]--;
            }
            List<QmgrOrder> orders = new ArrayList<>();
            manager.step(event, now, orders::add);
            orders.forEach(this::carryOut);
        }

        private void carryOut(QmgrOrder order) {
            switch (order) {
                case QmgrOrder.Scan _ -> after(0, new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty()));
                case QmgrOrder.ReadRecipients read -> {
                    int last = Math.min(recipients, read.after() + read.limit());
                    after(0, new QmgrEvent.RecipientsRead(read.id(), IntStream.rangeClosed(read.after() + 1, last)
                            .mapToObj(i -> new Recipient(i, Address.of("u" + i + "@far.example"))).toList(),
                            last == recipients));
                }
                case QmgrOrder.FindRoute find -> after(0, new QmgrEvent.RouteKnown(find.domain(),
                        new Route.Smtp("far.example", List.of(new Route.Host("mx.far.example", 25, 10)))));
                case QmgrOrder.Open open -> {
                    after(2 * ROUND_TRIP_MILLIS, new QmgrEvent.ConnectionReady(open.connection()));
                    after(3 * ROUND_TRIP_MILLIS, new QmgrEvent.ConnectionDepth(open.connection(), DEPTH));
                }
                case QmgrOrder.Deliver deliver -> deliver(deliver);
                case QmgrOrder.RecordOutcome record ->
                    after(0, new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
                case QmgrOrder.Remove _ -> over = true;
                case QmgrOrder.Close _ -> {
                    // It was idle.
                }
                case QmgrOrder.Defer _,QmgrOrder.Notify _,QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.TakeUp _,QmgrOrder.Instruct _,QmgrOrder.Answered _,QmgrOrder.Verified _,QmgrOrder.LeaseOrder _,QmgrOrder.MoveOut _ ->
                    throw new AssertionError(
                            order);
            }
        }

        private void deliver(QmgrOrder.Deliver deliver) {
            int connection = (int) deliver.connection();
            mostUnderWay = Math.max(mostUnderWay, ++underWay[connection]);
            Outcome ok = new Outcome.Delivered(Reply.of(250, "2.0.0", "ok"), "mx");
            after(ROUND_TRIP_MILLIS, new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(
                    deliver.delivery().number(), deliver.connection(), deliver.delivery().all(ok), true)));
        }
    }

    @Test
    void pipeliningToAFarPeerIsAsQuickAsWithoutSpacing() {
        Far plain = new Far(20_000, false);
        Far spaced = new Far(20_000, true);
        long without = plain.deliveredAfterMillis();

        assertThat(plain.mostUnderWay).isEqualTo(DEPTH);
        assertThat(spaced.deliveredAfterMillis()).isLessThanOrEqualTo(without + ROUND_TRIP_MILLIS);
        assertThat(spaced.mostUnderWay).isEqualTo(DEPTH);
    }
}
