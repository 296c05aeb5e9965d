package org.slipstream.spool.index;

import org.slipstream.core.Envelope;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The index of the message log: answers what a log cannot, such as what is due, whose, for where, and how many.
///
/// [#apply], [#due], [#sync] and [#recover] belong to the index thread and to the start; the reading methods may be called by the few
/// reader threads at the same time.
///
/// H2 must not be touched by a thread that may be interrupted: an interrupt closes the file under all connections.
public interface QueueIndex extends AutoCloseable {
    /// Applies records of the log, in one transaction with the position that they lead to. A record that was applied before changes
    /// nothing; a record about a message that is not there neither.
    ///
    /// @param lastId the greatest queue id in the log before that position, or a lesser one
    /// @return messages with files of their own that are gone
    /// @throws IndexException when none of them was applied, as far as can be known
    Set<QueueId> apply(List<LogRecord> records, Position position, long lastId) throws IndexException;

    /// Mail that is due.
    Due due(DueQuery query) throws IndexException;

    /// @param nextDueMillis earliest next attempt of what was neither found nor is held
    record Due(List<MessageSummary> messages, boolean more, OptionalLong nextDueMillis) {}

    /// Returns when everything applied survives a power cut.
    void sync() throws IndexException;

    /// After a failure: takes a fresh connection. What was applied since the last [#sync] may be there or not.
    ///
    /// @return where the index stands now
    Standing recover() throws IndexException;

    /// After damage: puts what cannot be read aside and begins with nothing.
    Standing makeAgain() throws IndexException;

    /// How far the index has come.
    ///
    /// @param position records before it have been applied
    /// @param lastId the greatest queue id before it
    /// @param applied how many transactions have brought it there
    /// @param inLog the log alone is enough to make this index again
    record Standing(Position position, long lastId, long applied, boolean inLog) {}

    Standing standing() throws IndexException;

    /// From now on the log alone is enough.
    void allInLog() throws IndexException;

    /// What the messages name in the log, all of it. Does not depend on how many they are.
    Named named() throws IndexException;

    /// @param messages how many messages name each segment
    /// @param setAside how many of them are set aside
    /// @param ownFiles messages whose content has a file of its own
    record Named(Map<Long, Long> messages, Map<Long, Long> setAside, Set<QueueId> ownFiles) {
        /// How many messages that are not set aside name the log.
        public long queued() {
            return sum(messages) - sum(setAside);
        }

        private static long sum(Map<Long, Long> counts) {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /// Messages that name a segment, without those set aside.
    Set<QueueId> inSegment(long segment) throws IndexException;

    /// Those of `ids` that have rows and are not set aside.
    Set<QueueId> queued(List<QueueId> ids) throws IndexException;

    /// Where the contents of those of `ids` lie that have rows.
    Map<QueueId, Located> locate(List<QueueId> ids) throws IndexException;

    Optional<Located> locate(QueueId id) throws IndexException;

    record Located(RecordPlace place, long sizeBytes) {}

    /// Open recipients with a number above `after`, at most `limit`; with `after` 0 also checks that none is missing.
    List<Recipient> openRecipients(QueueId id, int after, int limit) throws IndexException, DamagedRowsException;

    Optional<Indexed> message(QueueId id) throws IndexException, DamagedRowsException;

    /// Messages after `after` in order of id, without those set aside.
    MessagePage page(Optional<QueueId> after, int limit) throws IndexException;

    /// Messages after `after` in order of id that are set aside.
    MessagePage setAside(Optional<QueueId> after, int limit) throws IndexException;

    /// @param damaged messages between those listed whose rows make no sense
    record MessagePage(List<Indexed> messages, List<DamagedMessage> damaged) {}

    record DamagedMessage(QueueId id, String what) {}

    /// The next messages behind `after` that fit, in order of id, at most `limit`, out of the bounded piece of the queue that one
    /// question looks at ([Finder]).
    Found find(Search search, long nowMillis, Optional<QueueId> after, int limit) throws IndexException;

    /// @param next where to go on; empty when nothing behind can fit. Present it does not mean that something does
    record Found(List<QueueId> ids, Optional<QueueId> next) {
        public Found {
            ids = List.copyOf(ids);
        }
    }

    /// The next messages behind `after` to which an order to make them due may apply: those that would be due later than
    /// `nowMillis`, or those with a recipient in `domain` who still waits. In order of id, a portion of a few hundred.
    Found notDue(Optional<String> domain, long nowMillis, Optional<QueueId> after) throws IndexException;

    /// The first messages that were tried, are not held, and have a recipient in `domain` who still waits. In order of id, a
    /// portion of a few hundred.
    Found tried(String domain) throws IndexException;

    /// Those of `ids` that are there and not set aside, in order of id.
    MessagePage messages(List<QueueId> ids) throws IndexException;

    /// A message with all its rows.
    record Indexed(MessageSummary summary, Envelope envelope, long nextAttemptMillis,
            List<IndexedRecipient> recipients) {}

    record IndexedRecipient(Recipient recipient, RecipientStatus status, Optional<Outcome> last, long atMillis) {}

    /// All that is kept of hosts.
    List<HostRecord> hosts() throws IndexException;

    Totals totals() throws IndexException;

    /// @param messages queued or held; @param corrupt set aside
    record Totals(long messages, long held, long corrupt, long sizeBytes) {}

    /// Closes the database in order.
    @Override
    void close();
}
