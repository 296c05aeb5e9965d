package org.slipstream.qmgr.sched;

/// The result of a selection.
///
/// @param <S> the seat
public sealed interface Choice<S> {
    /// The selected entry with its seat.
    record Taken<S>(Entry entry, S seat) implements Choice<S> {}

    /// The search of one transport waits for recipients; others may be tried.
    record Reading<S>() implements Choice<S> {
        private static final Reading<?> ONE = new Reading<>();
    }

    /// No entry can be selected at any transport.
    record Nothing<S>() implements Choice<S> {
        private static final Nothing<?> ONE = new Nothing<>();
    }

    @SuppressWarnings("unchecked")
    static <S> Choice<S> reading() {
        return (Choice<S>) Reading.ONE;
    }

    @SuppressWarnings("unchecked")
    static <S> Choice<S> nothing() {
        return (Choice<S>) Nothing.ONE;
    }

    default boolean isNothing() {
        return this instanceof Nothing;
    }
}
