package org.slipstream.server.operate;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.TraceEvent;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.spool.Spool;
import org.slipstream.spool.history.EventKind;
import org.slipstream.spool.history.History;
import org.slipstream.spool.history.HistorySearch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The history of messages joined with the queue of this moment.
///
/// @param history written before each search
/// @param search of this moment
public record Traces(History history, Supplier<HistorySearch> search) {
    @FunctionalInterface
    interface Phases {
        /// The phase of a message in the queue.
        QueuePhase of(MessageDetails row) throws IOException;
    }

    TraceResult trace(String wanted, int limit, ShardQueue queue) throws IOException {
        TraceResult found = history(wanted, limit);
        List<MessageTrace> messages = new ArrayList<>();
        for (MessageTrace message : found.messages()) {
            messages.add(queue.present(message).orElseGet(message::absent));
        }
        // The history may have begun after the message arrived.
        Optional<QueueId> id = QueueId.parse(wanted);
        if (messages.isEmpty() && id.isPresent()) {
            queue.queued(id.get()).ifPresent(messages::add);
        }
        return new TraceResult(messages, found.more(), found.since());
    }

    TraceResult history(String wanted, int limit) throws IOException {
        history.flush();
        return search.get().find(wanted, limit);
    }

    static Optional<MessageTrace> queued(QueueId id, Spool spool, Phases phases) throws IOException {
        Optional<MessageDetails> row = spool.details(id);
        return row.isEmpty()
                ? Optional.empty()
                : Optional.of(ofQueue(row.get(), spool.attempts(id)).withState(state(row.get(), spool, phases)));
    }

    static Optional<MessageTrace> present(MessageTrace message, Spool spool, Phases phases) throws IOException {
        Optional<QueueId> id = QueueId.parse(message.id());
        Optional<MessageDetails> row = id.isPresent() ? spool.details(id.get()) : Optional.empty();
        if (row.isEmpty()) {
            return Optional.empty();
        }
        MessageTrace known = message.complete() ? message : ofQueue(row.get(), List.of()).withEvents(message.events());
        return Optional.of(known.withState(state(row.get(), spool, phases)));
    }

    private static String state(MessageDetails row, Spool spool, Phases phases) throws IOException {
        QueueId id = row.summary().id();
        if (spool.sound(List.of(id)).isEmpty()) {
            return "set aside: its record in the log is damaged or missing; `spool corrupt list` has the reason";
        }
        QueuePhase phase = phases.of(row);
        return "in the queue, " + phase.code().word() + ": " + phase.text();
    }

    private static MessageTrace ofQueue(MessageDetails row, List<PastAttempt> attempts) {
        List<TraceEvent> events = new ArrayList<>();
        events.add(new TraceEvent(QueueView.moment(row.summary().createdMillis()), EventKind.ACCEPTED.word(),
                List.of(), "", "", -1, ""));
        attempts.reversed().forEach(each -> events.add(new TraceEvent(QueueView.moment(each.atMillis()),
                EventKind.of(each.reply()).word(), List.of(), each.remote(),
                each.phase().map(QueuePhase.Code::word).orElse(""), each.tookMillis(), each.reply().toString())));
        return new MessageTrace(row.summary().id().toString(),
                row.summary().sender().map(Object::toString).orElse(""),
                row.envelope().recipients().stream().map(each -> each.address().toString()).toList(),
                row.summary().sizeBytes(), QueueView.submitter(row.envelope().origin()), MessageTrace.OPEN, true,
                events);
    }
}
