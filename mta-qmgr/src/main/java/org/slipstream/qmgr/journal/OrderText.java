package org.slipstream.qmgr.journal;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.journal.JournalRecord.OrderGiven;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/// The short form of an order: its kind, the message, a number, and what distinguishes it from
/// other orders. Contents of events are not repeated.
final class OrderText {
    private OrderText() {}

    static OrderGiven of(long at, QmgrOrder order) {
        return switch (order) {
            case QmgrOrder.Scan scan -> plain(at, "scan", scan.queue().name().toLowerCase(Locale.ROOT) + " limit "
                    + scan.limit() + " lease until " + scan.leaseUntilMillis());
            case QmgrOrder.ReadRecipients read -> of(at, "read-recipients", read.id(), read.after(),
                    "limit " + read.limit());
            case QmgrOrder.FindRoute find -> of(at, "find-route", find.id(), OptionalLong.empty(), find.domain());
            case QmgrOrder.Open open -> new OrderGiven(at, "open", Optional.empty(),
                    OptionalLong.of(open.connection()), open.route().transport() + "/" + open.route().nextHop());
            case QmgrOrder.Deliver deliver -> of(at, "deliver", deliver.id(), deliver.connection(),
                    "delivery " + deliver.delivery().number() + " recipients " + numbers(deliver.recipients()));
            case QmgrOrder.Close close -> new OrderGiven(at, "close", Optional.empty(),
                    OptionalLong.of(close.connection()), "");
            case QmgrOrder.RecordOutcome record -> of(at, "record-outcome", record.id(), record.record(),
                    outcomes(record.outcomes()) + (record.attempt() ? " attempt" : ""));
            case QmgrOrder.Notify notify -> of(at, "notify", notify.id(), OptionalLong.empty(), notify.word());
            case QmgrOrder.Defer defer -> of(at, "defer", defer.id(), OptionalLong.empty(),
                    "until " + defer.nextAttemptMillis());
            case QmgrOrder.Remove remove -> of(at, "remove", remove.id(), OptionalLong.empty(), remove.reason());
            default -> plain(at, name(order), order.toString());
        };
    }

    // SetHold: set-hold
    private static String name(QmgrOrder order) {
        return order.getClass().getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    private static OrderGiven plain(long at, String kind, String text) {
        return new OrderGiven(at, kind, Optional.empty(), OptionalLong.empty(), text);
    }

    private static OrderGiven of(long at, String kind, QueueId id, long number, String text) {
        return of(at, kind, id, OptionalLong.of(number), text);
    }

    private static OrderGiven of(long at, String kind, QueueId id, OptionalLong number, String text) {
        return new OrderGiven(at, kind, Optional.of(id), number, text);
    }

    private static String numbers(List<Recipient> recipients) {
        return recipients.stream().map(each -> Integer.toString(each.number())).collect(Collectors.joining(","));
    }

    private static String outcomes(List<RecipientOutcome> outcomes) {
        return outcomes.stream().map(each -> each.number() + "=" + each.outcome().reply().code())
                .collect(Collectors.joining(","));
    }
}
