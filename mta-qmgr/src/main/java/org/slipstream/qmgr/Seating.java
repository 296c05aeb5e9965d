package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// The meeting point of the brain's two halves. The queue manager knows *who* is next; the seating knows *where*: which
/// connections there are, whether one is free for this destination or may be opened, and what each entry sits on.
///
/// The queue manager [asks][#ask] before it takes an entry, [seats][#seat] it, passes on what connections tell
/// ([#happened]) and hears what became of entries in the [Aftermath]. Only the seating orders `Open`, `Deliver` and
/// `Close`. A seated entry belongs to it until it comes back as a [Fate], exactly once; between the two it may be moved
/// from one connection to another as often as need be.
///
/// Pure, like the queue manager: no clock, no chance of its own, no threads. Called on one thread.
public interface Seating {
    /// May an entry of this message for this route be seated now? Changes nothing.
    ///
    /// The message is named because a seating may ration connections per message; most do not look at it.
    Answer ask(QueueId message, Route route, long nowMillis);

    /// The same, by a queue manager that charges connections to the destination's window, see [#charge].
    ///
    /// @param mayOpen the window has room for one more connection that opens for the destination or serves it
    default Answer ask(QueueId message, Route route, boolean mayOpen, long nowMillis) {
        return ask(message, route, nowMillis);
    }

    /// The answer of [#ask] for those who only look: nothing of it is remembered.
    default Answer look(QueueId message, Route route, boolean mayOpen, long nowMillis) {
        return ask(message, route, mayOpen, nowMillis);
    }

    /// Where each seated entry sits, by delivery; one that has lost its connection and waits for another sits nowhere. Changes nothing.
    default Map<Long, Position> positions() {
        return Collections.emptyMap();
    }

    /// @param host whom the connection leads to
    /// @param up it is ready
    /// @param ahead entries in front on it
    record Position(long connection, String host, boolean up, int ahead) {}

    /// Connections that open for this destination or serve it, which its window is charged with; several entries may sit
    /// on one. Empty where each entry has a connection of its own: then entries are counted.
    default OptionalInt charge(Route route) {
        return OptionalInt.empty();
    }

    /// Seats an entry. Only directly after [#ask] said [Answer.Free] for it.
    void seat(Load load, long nowMillis, OrderSink orders);

    /// Something happened to a connection.
    Aftermath happened(QmgrEvent.OfConnection event, long nowMillis, OrderSink orders);

    /// Time has passed: what was planned for now or earlier is done.
    Aftermath alarm(long nowMillis, OrderSink orders);

    /// When [#alarm] wants to be called next; `Long.MAX_VALUE` when nothing is planned.
    long nextAlarmMillis();

    /// An operator wants everything to be tried: what is known against hosts holds nobody back until it is seen again.
    default void flush(long nowMillis) {}

    /// Revives the hosts of this route that failed before `wishedMillis`: mail that goes there was asked for by name.
    default void flush(Route route, long wishedMillis, long nowMillis) {}

    /// Connections to this destination, opening, busy or idle; for operators.
    int connections(Route route);

    /// Whether an entry may be seated: the first gate that said no, and why.
    sealed interface Answer {
        /// In words an operator understands.
        String reason();

        /// There is a seat.
        ///
        /// @param rides it would take no connection for itself, but go with others on one that is at work
        record Free(boolean rides) implements Answer {
            public Free() {
                this(false);
            }

            @Override
            public String reason() {
                return "a seat is free";
            }
        }

        /// A shortage of this destination. Holds until an entry of it comes back or an [Aftermath] says
        /// [Aftermath#seatsElsewhere].
        record FullHere(String reason) implements Answer {}

        /// A shortage of this message, which has its share. Others may go, also to this destination. Holds until an
        /// [Aftermath] says [Aftermath#seatsElsewhere].
        record FullForMessage(String reason) implements Answer {}

        /// A shortage that concerns every destination of the transport.
        record FullEverywhere(String reason) implements Answer {}
    }

    /// An entry as the seating sees it.
    ///
    /// @param delivery the number under which it comes back
    record Load(long delivery, QueueId id, Route route, List<Recipient> recipients) {}

    /// What became of one seated entry.
    sealed interface Fate {
        long delivery();

        List<RecipientOutcome> outcomes();

        /// The session worked, whatever the replies were.
        ///
        /// @param released the connection served the destination until then and does so no longer, see [#charge]
        record Worked(long delivery, List<RecipientOutcome> outcomes, boolean released) implements Fate {
            public Worked(long delivery, List<RecipientOutcome> outcomes) {
                this(delivery, outcomes, false);
            }
        }

        /// Connection or handshake failed: the only kind of failure that speaks against the destination (PF-06). Several
        /// entries of one destination in one aftermath count as one trouble.
        ///
        /// @param cutOff no other connection to the destination is up
        record Troubled(long delivery, List<RecipientOutcome> outcomes, Reply reason, boolean cutOff)
                implements
                    Fate {}

        /// Put off without a connection having been tried: what is known of the destination's hosts forbids it. Teaches
        /// nothing.
        ///
        /// @param resumesMillis when that ends, where somebody has said so
        record Untried(long delivery, List<RecipientOutcome> outcomes, OptionalLong resumesMillis) implements Fate {}

        /// The delivery could not even be tried, for a reason of our own: no socket, no disk, an agent that crashed. Speaks
        /// against the transport and no destination (PF-16).
        record Broken(long delivery, List<RecipientOutcome> outcomes, Reply reason) implements Fate {}
    }

    /// What an event at a connection meant for entries.
    ///
    /// @param fates entries that came back
    /// @param seatsElsewhere destinations other than those of the fates may have got a seat
    /// @param troubles connections that failed without an entry coming back, because it was moved
    record Aftermath(List<Fate> fates, boolean seatsElsewhere, List<Trouble> troubles) {
        public static final Aftermath NOTHING = new Aftermath(List.of(), false);

        /// One connection failed; a feedback for the destination's window.
        ///
        /// @param delivery an entry that waited on it and still sits somewhere
        public record Trouble(long delivery, Reply reason) {}

        public Aftermath {
            fates = List.copyOf(fates);
            troubles = List.copyOf(troubles);
        }

        public Aftermath(List<Fate> fates, boolean seatsElsewhere) {
            this(fates, seatsElsewhere, List.of());
        }

        public static Aftermath of(Fate fate) {
            return new Aftermath(List.of(fate), false);
        }
    }
}
