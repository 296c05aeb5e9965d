package org.slipstream.spool.index;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The index of the message log. It answers what a log cannot: which messages are due, for which
/// domain, and how many.
///
/// [#apply], [#due], [#sync] and [#recover] belong to the index thread and to the start; the
/// reading methods may be called by the few reader threads at the same time.
///
/// A thread that may be interrupted must not call H2: an interrupt closes the file under all
/// connections.
public interface QueueIndex extends AutoCloseable {
    /// Applies records of the log, in one transaction with the position that they lead to. A record
    /// that was applied before changes nothing, nor does a record about an unknown message.
    ///
    /// @param lastId the greatest queue id in the log before that position, or a lesser one
    /// @return messages whose own content files are no longer needed
    /// @throws IndexException when none of the records was applied, as far as can be known
    Set<QueueId> apply(List<LogRecord> records, Position position, long lastId) throws IndexException;

    /// Finds due mail.
    Due due(DueQuery query) throws IndexException;

    /// @param nextDueMillis earliest next attempt of the messages that were neither found nor are
    ///     held
    record Due(List<MessageSummary> messages, boolean more, OptionalLong nextDueMillis) {}

    /// Makes everything that was applied survive a power cut.
    void sync() throws IndexException;

    /// Opens a new connection after a failure. Records applied since the last [#sync] may be there
    /// or not.
    ///
    /// @return the index's position now
    Standing recover() throws IndexException;

    /// Sets a damaged database aside, and begins with an empty one.
    Standing makeAgain() throws IndexException;

    /// How far the index has come.
    ///
    /// @param position records before it have been applied
    /// @param lastId the greatest queue id before `position`
    /// @param applied number of transactions so far
    record Standing(Position position, long lastId, long applied) {}

    Standing standing() throws IndexException;

    /// The segments and files of the log that messages reference. The cost does not depend on the
    /// number of messages.
    Named named() throws IndexException;

    /// @param messages number of messages per segment
    /// @param setAside how many of them are set aside
    /// @param ownFiles messages whose content has a file of its own
    record Named(Map<Long, Long> messages, Map<Long, Long> setAside, Set<QueueId> ownFiles) {
        /// Number of messages with a segment that are not set aside.
        public long queued() {
            return sum(messages) - sum(setAside);
        }

        private static long sum(Map<Long, Long> counts) {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /// Messages in a segment, without those set aside.
    Set<QueueId> inSegment(long segment) throws IndexException;

    /// Those of `ids` that have rows and are not set aside.
    Set<QueueId> queued(List<QueueId> ids) throws IndexException;

    /// The next messages after `after` in order of id, at most `limit`, with those set aside.
    List<QueueId> ids(Optional<QueueId> after, int limit) throws IndexException;

    /// Places of the contents of those of `ids` that have rows.
    Map<QueueId, Located> locate(List<QueueId> ids) throws IndexException;

    Optional<Located> locate(QueueId id) throws IndexException;

    record Located(RecordPlace place, long sizeBytes) {}

    /// Open recipients with a number above `after`, at most `limit`; with `after` 0 also checks
    /// that none is missing.
    List<Recipient> openRecipients(QueueId id, int after, int limit) throws IndexException, DamagedRowsException;

    Optional<MessageDetails> message(QueueId id) throws IndexException, DamagedRowsException;

    /// Messages after `after` in order of id, without those set aside.
    MessagePage page(Optional<QueueId> after, int limit) throws IndexException;

    /// Messages after `after` in order of id that are set aside.
    MessagePage setAside(Optional<QueueId> after, int limit) throws IndexException;

    /// @param damaged messages in the page's range whose rows contradict each other
    record MessagePage(List<MessageDetails> messages, List<DamagedMessage> damaged) {}

    record DamagedMessage(QueueId id, String what) {}

    /// The next messages after `after` that match, in order of id, at most `limit`. One query reads
    /// a bounded part of the queue ([Finder]).
    Found find(Search search, long nowMillis, Optional<QueueId> after, int limit) throws IndexException;

    /// @param next where to continue; empty when no later message can match. When present, there
    ///     may be no match either
    record Found(List<QueueId> ids, Optional<QueueId> next) {
        public Found {
            ids = List.copyOf(ids);
        }
    }

    /// The next messages after `after` to which an order to make them due may apply: those that are
    /// due later than `nowMillis`, or those with a waiting recipient in `domain`. In order of id, a
    /// portion of a few hundred.
    Found notDue(Optional<String> domain, long nowMillis, Optional<QueueId> after) throws IndexException;

    /// As [#notDue] for the messages with a waiting recipient whose last reply has this text, or whose last
    /// outcome has this remote.
    Found notDueAfter(String replyOrRemote, long nowMillis, Optional<QueueId> after) throws IndexException;

    /// The first messages that were tried, are not held, and have a waiting recipient in `domain`.
    /// In order of id, a portion of a few hundred.
    Found tried(String domain) throws IndexException;

    /// Those of `ids` that exist and are not set aside, in order of id.
    MessagePage messages(List<QueueId> ids) throws IndexException;

    /// Those of `ids` that exist, with those set aside, in order of id.
    MessagePage whole(List<QueueId> ids) throws IndexException;

    /// The latest attempts of a message, the latest first.
    List<PastAttempt> attempts(QueueId id) throws IndexException;

    /// All host records.
    List<HostRecord> hosts() throws IndexException;

    /// All standing orders.
    List<StandingOrder> orders() throws IndexException;

    Totals totals() throws IndexException;

    /// @param messages queued or held; @param corrupt those set aside
    record Totals(long messages, long held, long corrupt, long sizeBytes) {}

    /// Closes the database in order.
    @Override
    void close();

    /// Closes an index that is not complete, and deletes its file.
    void discard();
}
