package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;

import java.util.List;

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

    /// Seats an entry. Only directly after [#ask] said [Answer.Free] for it.
    void seat(Load load, long nowMillis, OrderSink orders);

    /// Something happened to a connection.
    Aftermath happened(QmgrEvent.OfConnection event, long nowMillis, OrderSink orders);

    /// Time has passed: what was planned for now or earlier is done.
    Aftermath alarm(long nowMillis, OrderSink orders);

    /// When [#alarm] wants to be called next; `Long.MAX_VALUE` when nothing is planned.
    long nextAlarmMillis();

    /// Connections to this destination, opening, busy or idle; for operators.
    int connections(Route route);

    /// Whether an entry may be seated: the first gate that said no, and why.
    sealed interface Answer {
        /// In words an operator understands.
        String reason();

        record Free() implements Answer {
            @Override
            public String reason() {
                return "a seat is free";
            }
        }

        /// A shortage of this destination. Holds until an entry of it comes back or an [Aftermath] says
        /// [Aftermath#seatsElsewhere].
        record FullHere(String reason) implements Answer {}

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
        record Worked(long delivery, List<RecipientOutcome> outcomes) implements Fate {}

        /// Connection or handshake failed: the only kind of failure that speaks against the destination (PF-06). Several
        /// entries of one destination in one aftermath count as one trouble.
        ///
        /// @param cutOff no other connection to the destination is up
        record Troubled(long delivery, List<RecipientOutcome> outcomes, Reply reason, boolean cutOff)
                implements
                    Fate {}

        /// The delivery could not even be tried, for a reason of our own: no socket, no disk, an agent that crashed. Speaks
        /// against the transport and no destination (PF-16).
        record Broken(long delivery, List<RecipientOutcome> outcomes, Reply reason) implements Fate {}
    }

    /// What an event at a connection meant for entries.
    ///
    /// @param fates entries that came back
    /// @param seatsElsewhere destinations other than those of the fates may have got a seat
    record Aftermath(List<Fate> fates, boolean seatsElsewhere) {
        public static final Aftermath NOTHING = new Aftermath(List.of(), false);

        public Aftermath {
            fates = List.copyOf(fates);
        }

        public static Aftermath of(Fate fate) {
            return new Aftermath(List.of(fate), false);
        }
    }
}
