package org.slipstream.admin.operations;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Explanations of what waits, as the API uses them. Called on HTTP threads; they change nothing.
public interface ExplainOperations {
    /// Empty when there is no such message.
    Optional<MessageExplanation> explain(QueueId id) throws IOException;

    /// Messages of one explanation, unless fewer are wanted.
    int MOST_EXPLAINED = 5_000;

    /// The messages that wait for a destination, for a host, or from a sender.
    ///
    /// @param most messages that are read, of each shard
    SubjectExplanation explain(Subject subject, String name, int most) throws IOException;

    enum Subject {
        DESTINATION, HOST, SENDER
    }

    /// @param reason the code of the gate that binds, or of the current activity
    /// @param why the same in words
    /// @param since ISO 8601 in UTC; empty when it is not known
    /// @param next the earliest next chance, in words
    /// @param release what would release the message: a command or a setting
    /// @param gates in the order in which a message passes them
    /// @param attempts the latest ones, the latest first
    /// @param text all of it for a person
    record MessageExplanation(String id, String reason, String why, String since, String next, String release,
            List<GateView> gates, List<PastAttemptView> attempts, List<Operations.RecipientView> recipients,
            String text) {}

    /// @param reason as in [org.slipstream.core.queue.QueuePhase.Code], in kebab case
    /// @param state `open`, `closed`, `not-asked`
    /// @param binds true for the gate that the message waits for
    /// @param since when the gate has refused, in ISO 8601; empty when it is open or not known
    record GateView(String reason, String state, boolean binds, String since, String text) {}

    /// @param at ISO 8601 in UTC
    /// @param phase empty when it is not known
    /// @param recipients the number of recipients with this reply
    record PastAttemptView(String at, String host, String phase, String reply, long tookMillis, int recipients) {}

    /// @param state of the destination, host or sender
    /// @param waiting the number of messages; at most `examined`
    /// @param examined true when the whole queue was examined
    /// @param reasons with the number of messages each, the most frequent first
    /// @param oldest ISO 8601 in UTC, as is next; empty when there is none
    record SubjectExplanation(String subject, String name, String state, int waiting, boolean examined,
            List<ReasonCount> reasons, String oldest, String next, String text) {}

    record ReasonCount(String reason, int messages, String example) {}
}
