package org.slipstream.smtpin.policy;

import org.slipstream.core.Reply;

/// What one check says of one thing.
public sealed interface Ruling {
    /// Nothing against it; the next check is asked.
    record Pass() implements Ruling {}

    /// For it; no further check of the list is asked. Whether the recipient exists is still the house's question.
    record Accept() implements Ruling {}

    /// Against it, now or for ever: 4xx defers, 5xx rejects, 421 and 521 also end the session.
    record Refuse(Reply reply) implements Ruling {}

    /// Suspicious; whoever delivers the message may want to know. The next check is asked.
    record Tag(String text) implements Ruling {}

    static Ruling pass() {
        return new Pass();
    }

    static Ruling accept() {
        return new Accept();
    }

    static Ruling reject(int code, String status, String text) {
        return new Refuse(Reply.of(code, status, text));
    }

    /// Local trouble and impatience are 4xx.
    static Ruling defer(String status, String text) {
        return new Refuse(Reply.of(450, status, text));
    }
}
