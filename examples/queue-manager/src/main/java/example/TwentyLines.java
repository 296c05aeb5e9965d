package example;

import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.Alarm;
import org.slipstream.qmgr.event.QmgrEvent.ConnectionReady;
import org.slipstream.qmgr.event.QmgrEvent.DeliveryDone;
import org.slipstream.qmgr.event.QmgrEvent.Filed;
import org.slipstream.qmgr.event.QmgrEvent.MessageQueued;
import org.slipstream.qmgr.event.QmgrEvent.OutcomeRecorded;
import org.slipstream.qmgr.event.QmgrEvent.RecipientsRead;
import org.slipstream.qmgr.event.QmgrEvent.RouteKnown;
import org.slipstream.qmgr.event.QmgrEvent.ScanDone;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Close;
import org.slipstream.qmgr.event.QmgrOrder.Defer;
import org.slipstream.qmgr.event.QmgrOrder.Deliver;
import org.slipstream.qmgr.event.QmgrOrder.FindRoute;
import org.slipstream.qmgr.event.QmgrOrder.Open;
import org.slipstream.qmgr.event.QmgrOrder.ReadRecipients;
import org.slipstream.qmgr.event.QmgrOrder.RecordOutcome;
import org.slipstream.qmgr.event.QmgrOrder.Remove;
import org.slipstream.qmgr.event.QmgrOrder.Scan;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;

/// One message for a host that wants every stranger to come again after five minutes.
///
/// The queue manager has no threads, no clock and no sockets: it gets events with the time and gives
/// orders. So the five minutes pass at once.
public final class TwentyLines {
    private static final long GREYLISTED_MILLIS = 300_000;

    private final QueueManager manager = new QueueManager(QmgrConfig.defaults(),
            QmgrConfig.defaults().plainSeating(new Random(1)), new Random(1));
    private final Deque<QmgrEvent> events = new ArrayDeque<>();
    private final List<String> story = new ArrayList<>();
    private final MessageSummary message;
    private final Recipient recipient;
    private OptionalLong deferredTo = OptionalLong.empty();
    private boolean finished;
    private long now;

    public TwentyLines(MessageSummary message, Recipient recipient) {
        this.message = message;
        this.recipient = recipient;
    }

    /// The replies of the host with their times, from the arrival of the message to its end.
    public List<String> run() {
        happens(new MessageQueued(message));
        while (!finished) {
            now = manager.nextAlarmMillis();
            happens(new Alarm());
        }
        return story;
    }

    private void happens(QmgrEvent event) {
        events.add(event);
        while (!events.isEmpty()) {
            manager.step(events.poll(), now, this::carryOut);
        }
    }

    private void carryOut(QmgrOrder order) {
        switch (order) {
            case FindRoute find -> events.add(new RouteKnown(find.domain(),
                    new Route.Smtp(find.domain(), List.of(new Route.Host("mx." + find.domain(), 25, 10)))));
            case ReadRecipients read -> events.add(new RecipientsRead(read.id(), List.of(recipient), true));
            case Open open -> events.add(new ConnectionReady(open.connection()));
            case Deliver deliver -> events.add(new DeliveryDone(new Answered(deliver.delivery().number(),
                    deliver.connection(), deliver.delivery().all(Outcome.of(reply(), "mx.far.example")), true)));
            case RecordOutcome record -> events.add(new OutcomeRecorded(record.id(), record.record()));
            case Defer defer -> {
                deferredTo = OptionalLong.of(defer.nextAttemptMillis());
                events.add(new Filed(Optional.of(defer.id())));
            }
            case Scan scan -> events.add(scanned(scan));
            case Remove remove -> {
                finished = true;
                events.add(new Filed(Optional.of(remove.id())));
            }
            case Close _ -> { }
            default -> throw new IllegalStateException("this message needs no " + order);
        }
    }

    private ScanDone scanned(Scan scan) {
        boolean deferred = scan.queue() == QueueName.DEFERRED && deferredTo.isPresent();
        boolean due = deferred && deferredTo.getAsLong() <= scan.nowMillis();
        return new ScanDone(due ? List.of(message) : List.of(), false,
                deferred && !due ? deferredTo : OptionalLong.empty());
    }

    private Reply reply() {
        Reply reply = now < GREYLISTED_MILLIS ? Reply.of(450, "4.2.0", "Greylisted") : Reply.of(250, "2.0.0", "Ok");
        story.add(now / 1000 + " s: " + reply.code() + " " + reply.text());
        return reply;
    }
}
