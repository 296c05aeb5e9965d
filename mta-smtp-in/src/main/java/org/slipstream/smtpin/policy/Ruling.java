package org.slipstream.smtpin.policy;

import org.slipstream.core.Reply;

import java.util.Optional;

/// The result of one check.
public sealed interface Ruling {
    /// No objection; the next check is asked.
    record Pass() implements Ruling {}

    /// Accepted; no further check of the list is asked. The message handler still decides whether
    /// the recipient exists.
    record Accept() implements Ruling {}

    /// Refused temporarily or permanently: 4xx defers, 5xx rejects, 421 and 521 also end the
    /// session.
    record Refuse(Reply reply) implements Ruling {}

    /// Suspicious; the message carries the tag to its delivery. The next check is asked.
    record Tag(String text) implements Ruling {}

    /// The header is changed before the message is stored, which a tag may explain. The next check is
    /// asked. Only at the end of a message.
    record Change(Optional<String> tag, HeaderChange header) implements Ruling {}

    static Ruling pass() {
        return new Pass();
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
