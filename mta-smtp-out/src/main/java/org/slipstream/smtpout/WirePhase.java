package org.slipstream.smtpout;

import org.slipstream.core.queue.QueuePhase;

/// The current phase of one connection. Its carrier writes it to a volatile field at each change;
/// any thread may read it.
///
/// @param remote the peer
/// @param delivery whose reply is awaited or whose content is sent; 0 for none
/// @param sinceNanos of `System.nanoTime()`
/// @param timeoutMillis the timeout; 0 for none
public record WirePhase(QueuePhase.Code code, String remote, long delivery, long sinceNanos, long timeoutMillis) {
    static final long NONE = 0;

    static WirePhase now(QueuePhase.Code code, String remote, long timeoutMillis) {
        return new WirePhase(code, remote, NONE, System.nanoTime(), timeoutMillis);
    }

    /// As text that follows the name of the connection.
    public String text() {
        return switch (code) {
            case LOOKUP -> "looks up the addresses of " + remote;
            case CONNECTING -> "connects to " + remote;
            case TLS -> "performs the TLS handshake with " + remote;
            case CONTENT -> "sends the content to " + remote;
            case GREETING -> "waits for the greeting of " + remote;
            case FINAL_REPLY -> "waits for the reply to the end of data of " + remote;
            case RESET -> "waits for the reply to RSET of " + remote;
            default -> "waits for the reply to " + code + " of " + remote;
        };
    }
}
