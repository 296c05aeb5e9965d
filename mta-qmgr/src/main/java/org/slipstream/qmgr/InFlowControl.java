package org.slipstream.qmgr;

/// Does mail arrive faster than it is taken in? Postfix's input flow control (`in_flow_delay`, PF-31).
///
/// **The idea.** A server that accepts mail faster than it can deliver it fills its disk and serves nobody: what was accepted
/// competes with deliveries for the same disk. Refusing is too hard, since the burst may be over in a second. So the door gets
/// a little slower: whoever brings mail waits a moment and is served then. Input is slowed, never stopped, while it outruns
/// admission.
///
/// **The rule.** The original has a pipe with as many tokens as there may be delivery processes. Whoever brings a message takes a
/// token and, when there is none, waits for `in_flow_delay` and goes on without. The queue manager puts one back for each new
/// message it admits, and fills the pipe when no new mail is left outside. Here the tokens are a count of the same arrivals and
/// admissions, so the pipe is not needed: the brain knows both.
///
/// The brain only says so ([QueueManager#isBehindArrivals]); who waits how long is the door's affair.
final class InFlowControl {
    private final int tokens;
    private int left;

    /// @param tokens arrivals ahead of admission that are no reason to worry
    InFlowControl(int tokens) {
        this.tokens = tokens;
        this.left = tokens;
    }

    /// New mail was announced.
    void arrived() {
        left = Math.max(0, left - 1);
    }

    /// So much new mail came at once that some was not even announced.
    void missed() {
        left = 0;
    }

    /// New mail was taken in.
    void admitted() {
        left = Math.min(tokens, left + 1);
    }

    /// No new mail waits outside.
    void caughtUp() {
        left = tokens;
    }

    boolean areAhead() {
        return left == 0;
    }
}
