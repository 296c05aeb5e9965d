package org.slipstream.qmgr.sched;

/// What a search for the next entry came to.
public sealed interface Choice {
    Choice NOTHING = new Nothing();
    Choice READING = new Reading();

    /// This entry goes.
    record Taken(Entry entry) implements Choice {}

    /// The search of one transport waits for recipients; others may be tried.
    record Reading() implements Choice {}

    /// Nothing can go at any transport.
    record Nothing() implements Choice {}
}
