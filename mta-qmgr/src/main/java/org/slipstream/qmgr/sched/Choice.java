package org.slipstream.qmgr.sched;

/// The result of a selection.
public sealed interface Choice {
    Choice NOTHING = new Nothing();
    Choice READING = new Reading();

    /// The selected entry.
    record Taken(Entry entry) implements Choice {}

    /// The search of one transport waits for recipients; others may be tried.
    record Reading() implements Choice {}

    /// No entry can be selected at any transport.
    record Nothing() implements Choice {}
}
