package org.slipstream.spool;

import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.index.Search;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// The spool as the other modules see it. Every method may be called from any thread.
///
/// Methods that change something enqueue a task for the log thread and return at once. `then` runs
/// on that thread after the group with the change is synced, and must not block. Changes take
/// effect in the order of the calls. A change that fails (disk full) is tried again until it
/// succeeds; nothing is dropped. Methods that read may block on disk; callers use a thread of their
/// own that is never interrupted.
public interface Spool extends ReportableMessages, MovableMessages, AutoCloseable {
    /// The number of the shard: part of new queue ids and of thread names.
    int shard();

    /// Begins a new message.
    ///
    /// @throws NoSpaceException when the disk is too full
    /// @throws IOException when the index is so far behind the log that no more mail is accepted
    default Draft draft() throws IOException {
        return draft(() -> {});
    }

    /// @param ended runs once, when the message is committed or given up
    Draft draft(Runnable ended) throws IOException;

    /// Replaces the state of these recipients.
    ///
    /// @param attempt counts as an attempt of the message
    void record(QueueId id, List<RecipientOutcome> outcomes, boolean attempt, Runnable then);

    /// Records outcomes, and counts an attempt when a recipient was deferred.
    default void record(QueueId id, List<RecipientOutcome> outcomes, Runnable then) {
        record(id, outcomes, outcomes.stream().anyMatch(each -> each.outcome() instanceof Outcome.Deferred), then);
    }

    void defer(QueueId id, long nextAttemptMillis, Runnable then);

    /// Removes the message with all its rows; its segment is deleted when it holds no other
    /// message.
    void remove(QueueId id, Runnable then);

    /// As [#remove], for a message that an operator deletes.
    default void delete(QueueId id, Runnable then) {
        remove(id, then);
    }

    /// Puts the message on hold, or releases it: then it is due at once, unless its sender wants it
    /// later.
    void hold(QueueId id, boolean held, Runnable then);

    /// Records an instruction of an operator.
    void instruct(QueueId id, Instruction instruction, Runnable then);

    /// Takes the message off hold and makes it due at `nowMillis`, even before the time that its
    /// sender requested.
    void takeUp(QueueId id, long nowMillis, Runnable then);

    /// Makes one message, or all, or those for a domain due at `nowMillis`. More than one message
    /// is processed in portions (`MakingDue`), and `then` runs after each of them, at least once.
    void makeDue(Optional<QueueId> id, Optional<String> domain, long nowMillis, Runnable then);

    /// Makes the messages with a waiting recipient whose last reply has this text, or whose last outcome
    /// has this remote, due at `nowMillis`, in portions as well.
    void makeDueAfter(String replyOrRemote, long nowMillis, Runnable then);

    /// Messages of one queue that are due at `nowMillis`, at most `limit`, oldest due first. Moves
    /// their next attempt to `leaseUntilMillis`, in the deferred queue, and completes after that is
    /// synced. Held messages belong to the deferred queue and are found only when created before
    /// `heldCreatedBeforeMillis`.
    ///
    /// @param furthestMillis a message deferred beyond this time becomes due then, unless its
    ///     sender asked for the delay; `Long.MAX_VALUE`: no limit
    void claimDue(QueueName queue, long nowMillis, int limit, long leaseUntilMillis, long heldCreatedBeforeMillis,
            long furthestMillis,
            Consumer<Claimed> then);

    /// @param nextDueMillis earliest next attempt in this queue of the messages that were neither
    ///     claimed nor held
    record Claimed(List<MessageSummary> messages, boolean more, OptionalLong nextDueMillis) {}

    /// Open recipients with a number above `after`, in order.
    ///
    /// @throws DamagedException when the rows are damaged; the message has then been set aside
    RecipientBatch readRecipients(QueueId id, int after, int limit) throws IOException, DamagedException;

    record RecipientBatch(List<Recipient> recipients, boolean end) {
        /// A part of a list in which recipient `n` is the `n`th.
        public static RecipientBatch of(List<Recipient> all, int after, int limit) {
            int from = Math.clamp(after, 0, all.size());
            int to = (int) Math.min(all.size(), (long) from + limit);
            return new RecipientBatch(all.subList(from, to), to == all.size());
        }
    }

    /// The part of a recently committed message that is in memory. Does not block.
    Optional<InMemory> inMemory(QueueId id);

    /// @param untried no outcome has been recorded: every recipient of the envelope is open
    record InMemory(Envelope envelope, Content content, boolean untried) {}

    /// The envelope as it was committed, without the recipients' states.
    public Optional<Envelope> envelope(QueueId id) throws IOException;

    /// A page of the queue in order of id, after `after`.
    List<MessageDetails> list(Optional<QueueId> after, int limit) throws IOException;

    /// The next messages after `after` that match, in order of id, at most `limit`. Reads a bounded
    /// part of the queue: a short or empty result is the last only when it has no `next`.
    QueueIndex.Found find(Search search, Optional<QueueId> after, int limit) throws IOException;

    /// The first messages, in order of id, that were tried, are not held, and have a waiting
    /// recipient in this domain. Reads one page of the index by domain, however long the queue is;
    /// there may be more when the result has a `next`.
    QueueIndex.Found tried(String domain) throws IOException;

    /// The next messages after `after` that are set aside, in order of id, each with its current
    /// fault. Reads their contents.
    List<SetAside> setAside(Optional<QueueId> after, int limit) throws IOException;

    /// @param details empty when its rows are damaged
    /// @param reason the fault
    /// @param readable its content and its rows are intact: a file was restored
    record SetAside(QueueId id, Optional<MessageDetails> details, String reason, boolean readable) {
        /// Names the message, its sender and the recipients that still wait for it.
        public String sentence() {
            return "Message " + id + details.map(SetAside::envelope).orElse("") + " is set aside: " + reason + ".";
        }

        public static String envelope(MessageDetails message) {
            String open = message.openRecipients().stream().map(each -> "<" + each.address() + ">")
                    .collect(Collectors.joining(", "));
            return " from <" + message.summary().sender().map(Object::toString).orElse("") + "> to "
                    + (open.isEmpty() ? "no waiting recipient" : open);
        }
    }

    /// Those of `ids` that still exist, in order of id.
    List<MessageDetails> details(List<QueueId> ids) throws IOException;

    /// The latest attempts of a message, the latest first; deliveries at the first attempt have no
    /// history.
    List<PastAttempt> attempts(QueueId id) throws IOException;

    /// Keeps a host record in place of an earlier one of the same kind.
    default void keepHost(HostRecord host) {
        keepHost(host, () -> {});
    }

    /// @param then runs when the record is on disk
    void keepHost(HostRecord host, Runnable then);

    default void forgetHost(String host, String kind) {
        forgetHost(host, kind, () -> {});
    }

    /// @param then runs when that is on disk
    void forgetHost(String host, String kind, Runnable then);

    /// All host records.
    List<HostRecord> hosts() throws IOException;

    /// Keeps a standing order in place of an earlier one of its kind and name.
    ///
    /// @param then runs when the record is on disk
    void keepOrder(StandingOrder order, Runnable then);

    /// @param then runs when that is on disk
    void forgetOrder(String kind, String name, Runnable then);

    /// All standing orders, also those whose time is over.
    List<StandingOrder> orders() throws IOException;

    /// The records that belong to no message.
    default CommonRecords commonRecords() throws IOException {
        return new CommonRecords(hosts(), orders());
    }

    record CommonRecords(List<HostRecord> hosts, List<StandingOrder> orders) {
        public static final CommonRecords NONE = new CommonRecords(List.of(), List.of());
    }

    /// Counts for operators.
    Counts counts() throws IOException;

    /// @param messages all; @param held those on hold; @param corrupt those set aside
    record Counts(long messages, long held, long corrupt, long sizeBytes) {}

    /// True when the last run did not close this spool: the process was killed, or the power failed.
    /// False also where that is not known, because the index is in a shared database.
    boolean wasInterrupted();

    /// True when a write has not returned for a second: new mail should go elsewhere, if it can. Waits
    /// for nothing.
    boolean isSlow();

    /// True when a write has not returned for a minute, or when the log can never be written again. Waits
    /// for nothing.
    boolean hangs();

    /// Ends all waits for the disk with a failure: those of clients for their messages and those of
    /// readers, now and from now on. Changes are still taken, and are written when the disk answers;
    /// so is the removal of a message whose client was told that it failed. [#close] waits for that.
    void giveUp();

    /// True after [#giveUp].
    boolean isGivenUp();

    /// Counts of the log, and how far the index is. Reads memory only.
    SpoolFigures figures();

    /// Current failures of the spool. Reads no index and no log, so it returns when they are not
    /// available.
    List<Trouble> troubles();

    enum What {
        /// The index cannot be written: mail is accepted and delivered as long as the tail of the
        /// log has space in memory.
        INDEX,
        /// The index is being made from the log, and the queue is served from memory and from the log until then.
        MAKING,
        /// A message could not be written into the log: new messages are refused until one
        /// succeeds.
        LOG,
        /// The disk has less free space than the minimum: new messages are refused.
        SPACE,
        /// A write found no space on a disk that has some, so inodes or a quota are used up: new
        /// messages are refused until one succeeds.
        INODES,
        /// A write has not returned for long: new messages wait, and are refused when they have
        /// waited too long.
        STALL,
        /// The folder of damaged pieces cannot be read, so they are not counted.
        CORRUPT,
        /// The messages are in a database that has them in one copy only, or has a setting that loses commits.
        COPIES
    }

    /// @param reason in the system's words
    /// @param noSpace clients get 452 4.3.1 and not 451 4.3.0
    record Trouble(What what, long sinceMillis, String reason, boolean noSpace) {}

    /// Writes what waits, applies the log to the index, releases the lock.
    @Override
    void close();

    /// As [#close], for a start that failed: the next one is told of the same interruption.
    void closeAsInterrupted();
}
