package org.slipstream.admin;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// What the API needs of the server. Called on HTTP threads.
public interface Operations {
    /// A page of the queue in order of id.
    QueuePage list(Optional<QueueId> after, int limit) throws IOException;

    Optional<MessageView> show(QueueId id) throws IOException;

    /// False when there is no such message.
    boolean flush(QueueId id) throws IOException;

    void flushAll(Optional<String> domain) throws IOException;

    boolean hold(QueueId id) throws IOException;

    boolean release(QueueId id) throws IOException;

    boolean delete(QueueId id) throws IOException;

    Status status() throws IOException;

    /// @param next give this as `after` for the next page; absent on the last
    record QueuePage(List<MessageView> messages, Optional<String> next, long total) {}

    /// @param state `active`, `deferred`, `held`
    /// @param why what keeps it in the queue, in a sentence
    /// @param created ISO 8601 in UTC; nextAttempt too
    record MessageView(String id, String sender, long sizeBytes, String state, String created, String nextAttempt,
            int attempts, String why, List<RecipientView> recipients) {}

    /// @param state `open`, `delivered`, `failed`
    record RecipientView(String address, String state, String lastReply, String remote) {}

    record Status(String version, String hostname, String started, long messages, long held, long corrupt, int active,
            List<DestinationView> destinations) {}

    record DestinationView(String transport, String nextHop, int waiting, int running, int connections) {}
}
