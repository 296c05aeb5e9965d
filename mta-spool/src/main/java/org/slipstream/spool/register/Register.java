package org.slipstream.spool.register;

import org.slipstream.core.Envelope;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.spool.box.Place;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// What is queued. Writing ([#write], [#barrier], [#recover]) belongs to the writer thread and to start-up; the reading
/// methods may be called by the few reader threads at the same time.
///
/// H2 must not be touched by a thread that somebody may interrupt: an interrupt closes the file under all connections.
/// The interface is the door to a cluster: several nodes would share a PostgreSQL behind the same methods.
public interface Register extends AutoCloseable {
    /// Executes the changes in one transaction. They are safe only after [#barrier].
    ///
    /// @throws RegisterException when none of them was executed, as far as can be known
    Written write(List<Change> changes) throws RegisterException;

    /// @param freed messages that are gone, with the places that are free now
    /// @param claims answers to the claims among the changes, in order
    record Written(Map<QueueId, Place> freed, List<Claims> claims) {}

    /// @param nextDueMillis earliest next attempt of what was neither claimed nor is held
    record Claims(List<MessageSummary> messages, boolean more, OptionalLong nextDueMillis) {}

    /// Returns when everything written survives a power cut.
    void barrier() throws RegisterException;

    /// After a failure: takes a fresh connection. What was written and not followed by a barrier may be there or not.
    ///
    /// @return where the register stands now
    Standing recover() throws RegisterException;

    /// How far the register has come.
    ///
    /// @param lastSeq the last letter entered; younger ones are in the box only
    /// @param lastId the greatest queue id ever entered
    /// @param segment where the last letter entered lies; 0 when there was none
    /// @param offset of its record
    /// @param doubt which letters the box may not have after all
    record Standing(long lastSeq, long lastId, long segment, long offset, Doubt doubt) {}

    /// Box and register are synced at the same time, so a power cut may leave rows of letters that the box has lost: of the last
    /// group only, because a group begins when the one before is safe in both.
    ///
    /// @param safeSeq letters up to this number are safe
    /// @param fromId no letter with a greater number has a lesser id
    record Doubt(long safeSeq, long fromId) {}

    Standing standing() throws RegisterException;

    /// What the messages name in the box, all of it. Does not depend on how many they are.
    Named named() throws RegisterException;

    /// @param letters how many messages name each segment
    /// @param setAside how many of them are set aside
    /// @param ownFiles messages whose content has a file of its own
    record Named(Map<Long, Long> letters, Map<Long, Long> setAside, Set<QueueId> ownFiles) {
        /// How many messages that are not set aside name the box.
        public long queued() {
            return sum(letters) - sum(setAside);
        }

        private static long sum(Map<Long, Long> counts) {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /// Where the letters lie that are in doubt.
    Map<QueueId, Located> inDoubt() throws RegisterException;

    /// Messages that name a segment, without those set aside.
    Set<QueueId> inSegment(long segment) throws RegisterException;

    /// Those of `ids` that have rows and are not set aside.
    Set<QueueId> queued(List<QueueId> ids) throws RegisterException;

    /// Those of `ids` that have rows.
    Set<QueueId> known(List<QueueId> ids) throws RegisterException;

    Optional<Located> locate(QueueId id) throws RegisterException;

    record Located(Place place, long sizeBytes) {}

    /// Open recipients with a number above `after`, at most `limit`; with `after` 0 also checks that none is missing.
    List<Recipient> openRecipients(QueueId id, int after, int limit) throws RegisterException, DamagedRowsException;

    Optional<Registered> message(QueueId id) throws RegisterException, DamagedRowsException;

    /// Messages after `after` in order of id, without those set aside.
    Page page(Optional<QueueId> after, int limit) throws RegisterException;

    /// Messages after `after` in order of id that are set aside.
    Page setAside(Optional<QueueId> after, int limit) throws RegisterException;

    /// @param damaged messages between those listed whose rows make no sense
    record Page(List<Registered> messages, List<DamagedMessage> damaged) {}

    record DamagedMessage(QueueId id, String what) {}

    /// The next messages behind `after` that fit, in order of id, at most `limit`, out of the bounded piece of the queue that one
    /// question looks at ([Finder]).
    Found find(Search search, long nowMillis, Optional<QueueId> after, int limit) throws RegisterException;

    /// @param next where to go on; empty when nothing behind can fit. Present it does not mean that something does
    record Found(List<QueueId> ids, Optional<QueueId> next) {
        public Found {
            ids = List.copyOf(ids);
        }
    }

    /// The next messages behind `after` to which an order to make them due may apply: those that would be due later than
    /// `nowMillis`, or those with a recipient in `domain` who still waits. In order of id, a portion of a few hundred.
    Found notDue(Optional<String> domain, long nowMillis, Optional<QueueId> after) throws RegisterException;

    /// The first messages that were tried, are not held, and have a recipient in `domain` who still waits. In order of id, a
    /// portion of a few hundred.
    Found tried(String domain) throws RegisterException;

    /// Those of `ids` that are there and not set aside, in order of id.
    Page messages(List<QueueId> ids) throws RegisterException;

    /// A message with all its rows.
    record Registered(MessageSummary summary, Envelope envelope, long nextAttemptMillis,
            List<RegisteredRecipient> recipients) {}

    record RegisteredRecipient(Recipient recipient, RecipientStatus status, Optional<Outcome> last, long atMillis) {}

    /// All that is kept of hosts.
    List<HostRecord> hosts() throws RegisterException;

    Totals totals() throws RegisterException;

    /// @param messages queued or held; @param corrupt set aside
    record Totals(long messages, long held, long corrupt, long sizeBytes) {}

    /// Closes the database in order.
    @Override
    void close();
}
