package org.slipstream.qmgr.admit;

/// Input flow control: detects that mail arrives faster than it is admitted to the active set
/// (Postfix `in_flow_delay`, PF-31). It slows input and never stops it.
///
/// **The idea.** A server that accepts mail faster than it delivers fills its disk, and the
/// accepted mail competes with deliveries for the same disk. A refusal is too harsh, since the
/// burst may be over in a second. So a client waits a moment before its message is accepted.
///
/// **The rule.** Postfix has a pipe with as many tokens as there may be delivery processes. Each
/// accepted message takes a token and, when there is none, waits for `in_flow_delay` and proceeds
/// without. The queue manager returns one token for each new message it admits, and fills the pipe
/// when no new mail is left in the incoming queue. Here the queue manager knows both arrivals and
/// admissions, so a counter replaces the pipe.
///
/// This class only reports the state ([#isBehind]); the SMTP server decides how
/// long a client waits.
final class InFlowControl {
    private int tokens;
    private int left;

    /// @param tokens arrivals that may be ahead of admission
    InFlowControl(int tokens) {
        this.tokens = tokens;
        this.left = tokens;
    }

    void change(int most) {
        left = Math.clamp((long) left + most - tokens, 0, most);
        tokens = most;
    }

    /// New mail was announced.
    void arrived() {
        left = Math.max(0, left - 1);
    }

    /// New mail arrived so fast that some announcements were dropped.
    void missed() {
        left = 0;
    }

    /// New mail was admitted to the active set.
    void admitted() {
        left = Math.min(tokens, left + 1);
    }

    /// No new mail is left in the incoming queue.
    void caughtUp() {
        left = tokens;
    }

    boolean isBehind() {
        return left == 0;
    }
}
