package org.slipstream.smtpin.policy;

import org.slipstream.core.Reply;

import java.util.Optional;

/// The result of one check.
public sealed interface Ruling {
    /// No objection; the next check is asked.
    ///
    /// @param tag that the message carries to its delivery
    /// @param header its change before the message is stored; only at the end of a message
    /// @param hold the reason for which the message waits for an operator; only at its end
    record Pass(Optional<String> tag, HeaderChange header, Optional<String> hold) implements Ruling {
        private static final Pass PLAIN = new Pass(Optional.empty(), HeaderChange.NONE);

        public Pass(Optional<String> tag, HeaderChange header) {
            this(tag, header, Optional.empty());
        }
    }

    /// Accepted; no further check of the list is asked. The message handler still decides whether
    /// the recipient exists.
    record Accept() implements Ruling {}

    /// Refused temporarily or permanently: 4xx defers, 5xx rejects, 421 and 521 also end the
    /// session.
    record Refuse(Reply reply) implements Ruling {}

    static Ruling pass() {
        return Pass.PLAIN;
    }

    /// Suspicious; the next check is asked.
    static Ruling tag(String text) {
        return new Pass(Optional.of(text), HeaderChange.NONE);
    }

    /// Accepted on hold, unless a later check refuses.
    static Ruling hold(String reason) {
        return new Pass(Optional.of("hold"), HeaderChange.NONE, Optional.of(reason));
    }

    static Ruling accept() {
        return new Accept();
    }

    static Ruling reject(int code, String status, String text) {
        return new Refuse(Reply.of(code, status, text));
    }

    /// Defers with 450: for local problems and rate limits.
    static Ruling defer(String status, String text) {
        return new Refuse(Reply.of(450, status, text));
    }
}
