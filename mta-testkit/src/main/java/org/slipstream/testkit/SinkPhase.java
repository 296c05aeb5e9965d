package org.slipstream.testkit;

import org.slipstream.sink.script.ScriptPhase;

import java.util.Optional;

/// A moment of an SMTP session at which a sink can misbehave.
///
/// A connection passes [#CONNECT] once; the other phases follow the commands of RFC 5321 section
/// 4.1.1, of RFC 3207 and of RFC 3030.
public enum SinkPhase {
    /// The greeting.
    CONNECT,
    /// EHLO, HELO and LHLO.
    EHLO,
    /// STARTTLS; the reply that the script gives replaces 220 and the handshake.
    STARTTLS,
    /// MAIL; a pattern is compared with the sender.
    MAIL,
    /// RCPT; a pattern is compared with the recipient.
    RCPT,
    /// The reply to DATA.
    DATA,
    /// The reply to a BDAT without LAST.
    CHUNK,
    /// The reply to the whole message, after the final dot or BDAT LAST. LMTP has one per
    /// recipient, with which a pattern is compared.
    FINAL_DOT,
    /// RSET and NOOP.
    RSET,
    /// QUIT.
    QUIT;

    static Optional<SinkPhase> of(ScriptPhase phase) {
        return switch (phase) {
            case CONNECT -> Optional.of(CONNECT);
            case HELO -> Optional.of(EHLO);
            case STARTTLS -> Optional.of(STARTTLS);
            case AUTH -> Optional.empty();
            case MAIL -> Optional.of(MAIL);
            case RCPT -> Optional.of(RCPT);
            case DATA -> Optional.of(DATA);
            case CHUNK -> Optional.of(CHUNK);
            case CONTENT -> Optional.of(FINAL_DOT);
            case OTHER -> Optional.of(RSET);
            case QUIT -> Optional.of(QUIT);
        };
    }
}
