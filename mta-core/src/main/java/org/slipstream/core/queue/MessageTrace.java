package org.slipstream.core.queue;

import java.util.List;

/// The story of a message, also of one that has left the queue.
///
/// @param state `in the queue`, with the phase, or the reason of the removal. A message that the queue
/// does not know and that did not leave it in the history is [#OPEN].
/// @param complete false when the history does not reach back to the acceptance
public record MessageTrace(String id, String sender, List<String> recipients, long sizeBytes, SubmitterView submitter,
        String state, boolean complete, List<TraceEvent> events) {
    public static final String OPEN = "the history has no end of it";

    /// The queue was asked and does not have the message.
    public MessageTrace absent() {
        return state.equals(OPEN) ? withState(OPEN + ", and it is not in the queue") : this;
    }

    public MessageTrace withState(String other) {
        return new MessageTrace(id, sender, recipients, sizeBytes, submitter, other, complete, events);
    }

    public MessageTrace withEvents(List<TraceEvent> others) {
        return new MessageTrace(id, sender, recipients, sizeBytes, submitter, state, complete, others);
    }

    /// The submitter of a message. Unknown texts are empty.
    ///
    /// @param service the port, such as `submission`; `report` for a message of this server
    /// @param client address literal
    /// @param about the queue id of the message that a report is about
    public record SubmitterView(String service, String client, String helo, String user, String messageId,
            String about) {
        public static final SubmitterView UNKNOWN = new SubmitterView("", "", "", "", "", "");
    }

    /// @param at ISO 8601 in UTC
    /// @param event `accepted`, `delivered`, `deferred`, `failed`, `waits`, `held`, `released`,
    /// `ordered`, `set-aside`, `report`, `removed`
    /// @param phase of the connection in which the reply came
    /// @param tookMillis below 0 when there was no attempt
    /// @param text the reply, the reason, or the time of the next attempt
    public record TraceEvent(String at, String event, List<String> recipients, String host, String phase,
            long tookMillis,
            String text) {}

    /// @param messages the latest last
    /// @param more true when there are earlier ones
    /// @param since ISO 8601 in UTC: the history has no earlier events; empty without a history
    /// @param faults nodes whose history is missing here, each with the reason
    public record TraceResult(List<MessageTrace> messages, boolean more, String since, List<String> faults) {
        public TraceResult(List<MessageTrace> messages, boolean more, String since) {
            this(messages, more, since, List.of());
        }
    }
}
