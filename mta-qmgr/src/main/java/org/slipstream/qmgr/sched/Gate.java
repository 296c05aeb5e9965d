package org.slipstream.qmgr.sched;

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

        record Refused<S>(GateRefusal why) implements GateAnswer<S> {}
    }

    /// The extent of a refusal.
    enum GateRefusal {
        /// No seat at this destination. Valid until [Scheduler#mayGo] or
        /// [Scheduler#seatsMayBeFree].
        NOT_HERE,
        /// No seat for this message; other messages may have one, also at this destination. Valid
        /// until [Scheduler#seatsMayBeFree].
        NOT_OF_MESSAGE,
        /// Bulk mail waits for its start slot at this destination; a single message may go. Valid
        /// until [Scheduler#mayGo].
        NOT_YET,
        /// No seat at any destination of this transport. Valid until the next selection.
        NOWHERE;

        private final GateAnswer<?> answer = new GateAnswer.Refused<>(this);

        /// The answer with this refusal.
        @SuppressWarnings("unchecked")
        public <S> GateAnswer<S> answer() {
            return (GateAnswer<S>) answer;
        }
    }
}
