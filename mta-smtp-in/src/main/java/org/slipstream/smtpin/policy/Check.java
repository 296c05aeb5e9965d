package org.slipstream.smtpin.policy;

import org.slipstream.core.Address;
import org.slipstream.core.Envelope;

import java.util.Optional;

/// One small question, asked at one or several moments of a session. Called on session threads, by all of them; may block (the
/// DNS), but a client waits meanwhile.
///
/// A check that does not care about a moment leaves its method alone.
public interface Check {
    /// In logs and tags.
    String name();

    /// @param early true when the client has talked before the greeting
    default Ruling connect(Client client, boolean early) {
        return Ruling.pass();
    }

    /// The client has named itself.
    default Ruling hello(Client client) {
        return Ruling.pass();
    }

    /// @param sender empty for the null sender
    default Ruling mail(Client client, Optional<Address> sender, long declaredBytes) {
        return Ruling.pass();
    }

    default Ruling rcpt(Client client, Rcpt rcpt) {
        return Ruling.pass();
    }

    /// The message is complete and not yet accepted.
    default Ruling end(Client client, CheckedMessage message) {
        return Ruling.pass();
    }

    /// True when [#end] wants to read the header; otherwise nobody collects it.
    default boolean readsHeader() {
        return false;
    }

    /// @param sender empty for the null sender
    /// @param routed the path had a source route
    /// @param accepted recipients so far
    record Rcpt(Optional<Address> sender, Address recipient, boolean routed, int accepted) {}

    /// @param header without our own trace line; empty when no check reads it
    record CheckedMessage(Envelope envelope, long sizeBytes, Header header) {}
}
