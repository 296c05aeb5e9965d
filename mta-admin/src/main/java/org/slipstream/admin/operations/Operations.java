package org.slipstream.admin.operations;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.core.queue.QueueFilter;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The queue operations that the API uses. Called on HTTP threads.
///
/// Methods with a filter examine a bounded part of the queue after `after`, in order of id. When
/// the part does not reach the end of the queue, the result names the start of the next part.
public interface Operations extends ExplainOperations, TraceOperations, ViewOperations {
    /// Returns at most `limit` messages; a page may be short or empty and still have a next one.
    QueuePage list(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException;

    MessageCount count(QueueFilter filter, Optional<QueueId> after) throws IOException;

    Optional<MessageView> show(QueueId id) throws IOException;

    /// Reads the next hop of a reroute.
    ///
    /// @throws IllegalArgumentException with a sentence, when the text is none or leads back to this server
    Route nextHop(String text);

    /// An order was given, and its record is not on disk: a write does not return, or fails. The server carries the
    /// order out when the disk works again; a kill before that forgets it.
    final class NotOnDiskException extends IOException {
        private static final long serialVersionUID = 1L;

        public NotOnDiskException() {
            this("ordered, but not on disk yet, because the disk of the spool does not answer; the order is carried"
                    + " out when it does, and a kill before that forgets it");
        }

        public NotOnDiskException(String sentence) {
            super(sentence);
        }
    }

    /// False when there is no such message.
    ///
    /// @throws NotOnDiskException when the disk stands still
    boolean order(MessageOrder order, QueueId id) throws IOException;

    /// Applies the order to the next matching messages, at most `limit`.
    MessageCount order(MessageOrder order, QueueFilter filter, Optional<QueueId> after, int limit) throws IOException;

    /// Counts the messages that the order would affect. Changes nothing.
    MessageCount wouldOrder(MessageOrder order, QueueFilter filter, Optional<QueueId> after) throws IOException;

    void flushAll(Optional<String> domain) throws IOException;

    /// Asks the host of this address whether it accepts mail for it. Blocks until the result is
    /// known.
    ///
    /// @return empty when this server cannot verify addresses
    Optional<VerdictView> verify(Address address) throws IOException;

    /// Works in every state of the disk.
    Status status() throws IOException;

    /// The operations of one shard alone; empty when there is no shard with this number.
    default Optional<Operations> ofShard(int number) {
        return number == 1 ? Optional.of(this) : Optional.empty();
    }

    /// @param next the value of `after` for the next page; absent on the last
    /// @param total messages in the queue, matching or not
    /// @param faults shards whose messages are missing here, each with the reason
    record QueuePage(List<MessageView> messages, Optional<String> next, long total, List<String> faults) {
        public QueuePage(List<MessageView> messages, Optional<String> next, long total) {
            this(messages, next, total, List.of());
        }
    }

    /// @param verdict `deliverable`, `undeliverable`, `unknown`
    /// @param route transport and next hop; empty when no route was found
    /// @param host the host that replied; empty when none did
    /// @param reply of the host, or the reason for its absence
    record VerdictView(String address, String verdict, String route, String host, String reply) {}

    /// @param count of messages in this part of the queue
    /// @param faults shards whose messages are not counted, each with the reason
    record MessageCount(long count, Optional<String> next, List<String> faults) {
        public MessageCount(long count, Optional<String> next) {
            this(count, next, List.of());
        }
    }

    /// @param state `active`, `deferred`, `held`
    /// @param why the reason for the wait, in a sentence
    /// @param next the earliest next chance, in words
    /// @param created ISO 8601 in UTC
    /// @param nextAttempt the same; empty when there is no such time: active and held mail, mail
    /// for a host with an indefinite suspension, and a server that does not deliver
    /// @param attempts the number of attempts that ended in a deferral
    /// @param seat the connection or host that the next delivery would use now; present only when a
    /// single message is shown and one of its deliveries waits for SMTP
    /// @param instructions of an operator, as `reroute: smtp:[relay.example]:25`
    /// @param lastAttempt time of the latest reply for one of its recipients; empty before
    /// @param expires when the next failure returns the message; present only when a single message
    /// is shown
    /// @param shard the number of its shard; absent when the server has only one
    record MessageView(String id, String sender, long sizeBytes, String state, String created, String nextAttempt,
            int attempts, String why, String next, PhaseView phase, Optional<SeatView> seat,
            List<RecipientView> recipients, SubmitterView submitter, List<String> instructions, String lastAttempt,
            String expires, Optional<Integer> shard) {
        public MessageView expiring(String when) {
            return SettingsRecords.with(this, "expires", when);
        }

        public MessageView in(int number) {
            return SettingsRecords.with(this, "shard", Optional.of(number));
        }

        public MessageView with(SeatView other) {
            return SettingsRecords.with(this, "seat", Optional.of(other));
        }
    }

    /// @param host the host for the delivery; empty when none is available
    /// @param reason for this host, or for its absence
    /// @param passedOver the other hosts that were considered, in order
    record SeatView(String host, String reason, List<PassedOverView> passedOver) {}

    /// A host that was considered and not selected.
    record PassedOverView(String host, String why) {}

    /// The current activity of a message, or its reason to wait.
    ///
    /// @param code as in [org.slipstream.core.queue.QueuePhase.Code], in lower case
    /// @param since ISO 8601 in UTC; empty when the start is not recorded
    /// @param until the latest end; empty when there is no such time
    /// @param figures those that the phase has
    record PhaseView(String code, String since, String until, Figures figures) {}

    /// @param atWork connections or deliveries in use, of `limit`
    /// @param before earlier deliveries that wait for the same destination
    /// @param ahead earlier deliveries on the same connection
    record Figures(Optional<Long> atWork, Optional<Long> limit, Optional<Long> before, Optional<Long> ahead) {
        public static final Figures NONE = new Figures(Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty());
    }

    /// @param state `open`, `delivered`, `failed`
    record RecipientView(String address, String state, String lastReply, String remote) {}

    /// @param messages absent, as are `held` and `corrupt`, while the queue index is unavailable
    /// @param delivers false when the server only receives and stores mail
    /// @param stuck messages that waited for a minute although nothing held them, since the start
    /// @param unannounced new messages that no event announced and a scan found, since the start
    /// @param destinations the busiest; one row with the transport `-` has the sum of the others
    /// @param trouble the current failures; empty when there are none
    /// @param suspensions those in force, the freeze first, without those of hosts
    /// @param shards empty when the server has only one
    record Status(String version, String hostname, String started, Optional<Long> messages, Optional<Long> held,
            Optional<Long> corrupt, int active, long stuck, long unannounced, boolean delivers,
            ConnectionsView connections,
            List<DestinationView> destinations, List<TroubleView> trouble,
            List<StandingOrders.SuspensionView> suspensions, List<ShardLine> shards) {
        /// This status with further failures.
        public Status withTroubles(List<TroubleView> further) {
            return SettingsRecords.with(this, "trouble", Stream.concat(trouble.stream(), further.stream()).toList());
        }
    }

    /// Outgoing SMTP connections.
    ///
    /// @param most the limit (`queue.lanes`)
    /// @param opening connections before the greeting of the host
    /// @param unproven of these, to hosts without a recent success
    /// @param mostUnproven the limit of unproven connections; beyond it mail for further such hosts
    /// waits (`placement.unproven-percent`)
    record ConnectionsView(int most, int open, int opening, int unproven, int mostUnproven) {}

    /// @param meanMillis smoothed duration of a delivery, with its time in the queue of a connection;
    /// absent before the first one has ended
    record DestinationView(String transport, String nextHop, int waiting, int running, int connections,
            Optional<Long> meanMillis) {}

    /// @param what `index`, `log`, `making`, `space`, `inodes`, `stall`, `corrupt`, `shard`, `shards`,
    /// `logins`, `rspamd`, `reports`, `certificate`, `login-attack`, `movement`, `oldest`, `stuck`
    /// @param since ISO 8601 in UTC; empty when it is not known
    /// @param meaning the effect on mail, and its expected end
    /// @param reason the error text of the system
    record TroubleView(String what, String since, String meaning, String reason) {}
}
