package org.slipstream.smtpout;

import org.slipstream.core.QueuePhase;
import org.slipstream.smtpout.dialog.DialogPhase;

/// The present phase of one connection. Its carrier writes it to a volatile field at each change; any thread may read it.
///
/// @param remote the other end
/// @param delivery the one whose reply is awaited or whose content is sent; 0 when it is none in particular
/// @param sinceNanos of `System.nanoTime()`
/// @param patienceMillis how long it may take; 0: it has no limit as a whole
public record WirePhase(QueuePhase.Code code, String remote, long delivery, long sinceNanos, long patienceMillis) {
    static final long NONE = 0;

    static WirePhase now(QueuePhase.Code code, String remote, long patienceMillis) {
        return new WirePhase(code, remote, NONE, System.nanoTime(), patienceMillis);
    }

    /// In words, to be read after the name of the connection.
    public String text() {
        return switch (code) {
            case LOOKUP -> "looks up the addresses of " + remote;
            case CONNECTING -> "connects to " + remote;
            case TLS -> "shakes hands for TLS with " + remote;
            case CONTENT -> "sends the content to " + remote;
            case GREETING -> "waits for the greeting of " + remote;
            case FINAL_REPLY -> "waits for the reply to the end of data of " + remote;
            case RESET -> "waits for the reply to RSET of " + remote;
            default -> "waits for the reply to " + code + " of " + remote;
        };
    }

    static QueuePhase.Code code(DialogPhase awaited) {
        return switch (awaited) {
            case GREETING -> QueuePhase.Code.GREETING;
            case HELLO -> QueuePhase.Code.EHLO;
            case STARTTLS -> QueuePhase.Code.STARTTLS;
            case AUTH -> QueuePhase.Code.AUTH;
            case MAIL -> QueuePhase.Code.MAIL;
            case RECIPIENT -> QueuePhase.Code.RCPT;
            case DATA -> QueuePhase.Code.DATA;
            case CHUNK -> QueuePhase.Code.CONTENT;
            case FINAL -> QueuePhase.Code.FINAL_REPLY;
            case RESET, QUIT -> QueuePhase.Code.RESET;
        };
    }
}
