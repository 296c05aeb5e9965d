package org.slipstream.admin;

import org.slipstream.core.Address;
import org.slipstream.core.QueueFilter;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// What the API needs of the server. Called on HTTP threads.
///
/// Methods with a filter look at a bounded piece of the queue behind `after`, in order of id; where that was not all of it,
/// the answer says where to go on.
public interface Operations {
    /// At most `limit`; a page may be short or empty and still have a next.
    QueuePage list(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException;

    MessageCount count(QueueFilter filter, Optional<QueueId> after) throws IOException;

    Optional<MessageView> show(QueueId id) throws IOException;

    enum Order {
        DELETE, HOLD, RELEASE, FLUSH
    }

    /// False when there is no such message.
    boolean order(Order order, QueueId id) throws IOException;

    /// For the next messages that fit, at most `limit`.
    MessageCount order(Order order, QueueFilter filter, Optional<QueueId> after, int limit) throws IOException;

    /// How many of them there would be. Changes nothing.
    MessageCount wouldOrder(Order order, QueueFilter filter, Optional<QueueId> after) throws IOException;

    void flushAll(Optional<String> domain) throws IOException;

    /// Asks the host of this address whether it would take mail for it. Waits for the verdict.
    ///
    /// @return empty when this server cannot verify addresses
    Optional<VerdictView> verify(Address address) throws IOException;

    /// Answers whatever state the disk is in.
    Status status() throws IOException;

    /// @param next give this as `after` for the next page; absent on the last
    /// @param total messages in the queue, whether they fit or not
    record QueuePage(List<MessageView> messages, Optional<String> next, long total) {}

    /// @param verdict `deliverable`, `undeliverable`, `unknown`
    /// @param route transport and next hop; empty where no route was found
    /// @param host the host that replied; empty where none did
    /// @param reply of the host, or the reason why there is none
    record VerdictView(String address, String verdict, String route, String host, String reply) {}

    /// @param count of messages in this piece of the queue
    record MessageCount(long count, Optional<String> next) {}

    /// @param state `active`, `deferred`, `held`
    /// @param why what keeps it in the queue, in a sentence
    /// @param created ISO 8601 in UTC
    /// @param nextAttempt the same; empty where there is no such time: of active and held mail, of mail for a host that is suspended until further
    /// notice, and where nothing is delivered
    /// @param attempts how often a recipient was tried and deferred
    /// @param seat where its next delivery would go now; only of one message that is shown, and only while a delivery of it waits to go by SMTP
    record MessageView(String id, String sender, long sizeBytes, String state, String created, String nextAttempt,
            int attempts, String why, PhaseView phase, Optional<SeatView> seat, List<RecipientView> recipients) {
        public MessageView with(SeatView other) {
            return new MessageView(id, sender, sizeBytes, state, created, nextAttempt, attempts, why, phase,
                    Optional.of(other), recipients);
        }
    }

    /// @param host where the delivery would go; empty when there is no place for it
    /// @param reason why there, or why nowhere
    /// @param passedOver the other hosts that were looked at, in that order
    record SeatView(String host, String reason, List<PassedOverView> passedOver) {}

    /// A host that was looked at and not taken.
    record PassedOverView(String host, String why) {}

    /// The work of a message at the moment, or its reason to wait.
    ///
    /// @param code as in [org.slipstream.core.QueuePhase.Code], in lower case
    /// @param since ISO 8601 in UTC; empty where nobody has noted it
    /// @param until when it is over at the latest; empty where there is no such time
    /// @param figures those that the phase has
    record PhaseView(String code, String since, String until, Figures figures) {}

    /// @param atWork connections or deliveries at work, of `limit`
    /// @param before deliveries that have waited for longer for the same destination
    /// @param ahead deliveries in front on the same connection
    record Figures(Optional<Long> atWork, Optional<Long> limit, Optional<Long> before, Optional<Long> ahead) {
        public static final Figures NONE = new Figures(Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty());
    }

    /// @param state `open`, `delivered`, `failed`
    record RecipientView(String address, String state, String lastReply, String remote) {}

    /// @param messages absent, as `held` and `corrupt` are, while the queue index cannot be read
    /// @param delivers false when mail is only taken in and kept
    /// @param trouble what is wrong now; empty when nothing is
    record Status(String version, String hostname, String started, Optional<Long> messages, Optional<Long> held,
            Optional<Long> corrupt, int active, boolean delivers, ConnectionsView connections,
            List<DestinationView> destinations, List<TroubleView> trouble) {}

    /// Connections to other servers by SMTP.
    ///
    /// @param most there may be (`queue.lanes`)
    /// @param opening being made, or waiting for the peer's greeting
    /// @param unproven of these, to hosts that are not known to work
    /// @param mostUnproven when there are as many, mail for further such hosts waits (`placement.unproven-percent`)
    record ConnectionsView(int most, int open, int opening, int unproven, int mostUnproven) {}

    record DestinationView(String transport, String nextHop, int waiting, int running, int connections) {}

    /// @param what `index`, `log`, `space`, `inodes`, `stall`
    /// @param since ISO 8601 in UTC
    /// @param meaning what becomes of mail, and until when
    /// @param reason the words of the system
    record TroubleView(String what, String since, String meaning, String reason) {}
}
