package org.slipstream.qmgr.sched;

import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Extent;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Decides whether an entry has a seat now. [Scheduler#choose] asks in the order of service, so the
/// first free answer decides, and its seat is that of the entry. It must be read-only for the
/// scheduler.
///
/// @param <S> the seat
@FunctionalInterface
public interface Gate<S> {
    GateAnswer<S> ask(Message message, DestinationQueue queue);

    sealed interface GateAnswer<S> {
        /// A seat is free.
        record Free<S>(S seat) implements GateAnswer<S> {}

        /// The refusal of a closed gate. It is valid until [Scheduler#mayGo] (bulk mail, a
        /// destination) or [Scheduler#seatsMayBeFree] (a message, a destination); that of a transport
        /// or the server until the next selection.
        ///
        /// @param extent the entries that it concerns, which may be fewer than those of the gate
        /// @param blocker the limit that refused a message, if other messages have the same one
        record Refused<S>(Code gate, Extent extent, Optional<Blocker> blocker) implements GateAnswer<S> {
            private static final List<Refused<?>> WHOLE = Arrays.stream(Code.values())
                    .<Refused<?>>map(gate -> new Refused<>(gate, gate.extent())).toList();

            public Refused(Code gate, Extent extent) {
                this(gate, extent, Optional.empty());
            }

            boolean isEverywhere() {
                return extent.compareTo(Extent.TRANSPORT) >= 0;
            }
        }

        /// A refusal with the extent of the gate.
        @SuppressWarnings("unchecked")
        static <S> GateAnswer<S> refused(Code gate) {
            return (GateAnswer<S>) Refused.WHOLE.get(gate.ordinal());
        }
    }
}
