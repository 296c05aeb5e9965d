package org.slipstream.smtpout.dialog;

/// What the client is waiting for. RFC 5321 section 4.5.3.2 gives each its own patience.
public enum DialogPhase {
    GREETING("the greeting"), HELLO("the reply to EHLO"), STARTTLS("the reply to STARTTLS"), AUTH(
            "the reply to AUTH"), MAIL("the reply to MAIL"), RECIPIENT("the reply to RCPT"), DATA(
                    "the reply to DATA"), CHUNK("the reply to BDAT"), FINAL(
                            "the reply to the end of data"), RESET("the reply to RSET"), QUIT("the reply to QUIT");

    private final String awaited;

    DialogPhase(String awaited) {
        this.awaited = awaited;
    }

    /// Names what is awaited, to be read after "waiting for".
    @Override
    public String toString() {
        return awaited;
    }
}
