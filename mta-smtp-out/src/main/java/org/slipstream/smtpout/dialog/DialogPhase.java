package org.slipstream.smtpout.dialog;

import org.slipstream.core.queue.QueuePhase;

/// The reply that the client awaits. Each has its own timeout: the greeting (RFC 5321 section
/// 4.5.3.2.1), MAIL (RFC 5321 section 4.5.3.2.2), RCPT (RFC 5321 section 4.5.3.2.3), DATA (RFC 5321
/// section 4.5.3.2.4), the end of data (RFC 5321 section 4.5.3.2.6).
public enum DialogPhase {
    GREETING("the greeting"), HELLO("the reply to EHLO"), STARTTLS("the reply to STARTTLS"), AUTH(
            "the reply to AUTH"), MAIL("the reply to MAIL"), RECIPIENT("the reply to RCPT"), DATA(
                    "the reply to DATA"), CHUNK("the reply to BDAT"), FINAL(
                            "the reply to the end of data"), RESET("the reply to RSET"), QUIT("the reply to QUIT");

    private final String awaited;

    DialogPhase(String awaited) {
        this.awaited = awaited;
    }

    /// The phase of a message that waits for this reply.
    public QueuePhase.Code code() {
        return switch (this) {
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

    /// The name of the reply, as it follows "waiting for".
    @Override
    public String toString() {
        return awaited;
    }
}
