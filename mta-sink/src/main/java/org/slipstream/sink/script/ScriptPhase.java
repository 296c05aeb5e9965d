package org.slipstream.sink.script;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// A moment of an SMTP session at which a rule of a script can apply.
public enum ScriptPhase {
    /// The greeting.
    CONNECT("connect"),
    /// EHLO, HELO and LHLO.
    HELO("helo"),
    /// STARTTLS; a reply of a rule replaces 220 and the handshake (RFC 3207).
    STARTTLS("starttls"),
    /// AUTH; every login is accepted otherwise (RFC 4954).
    AUTH("auth"),
    MAIL("mail"),
    RCPT("rcpt"),
    /// The reply to DATA.
    DATA("data"),
    /// The reply to a BDAT without LAST (RFC 3030).
    CHUNK("bdat"),
    /// The reply to the whole message, one for each recipient with LMTP (RFC 2033).
    CONTENT("content"),
    /// RSET, NOOP, VRFY, EXPN and HELP.
    OTHER("other"),
    QUIT("quit");

    private final String word;

    ScriptPhase(String word) {
        this.word = word;
    }

    /// The name in scripts.
    public String word() {
        return word;
    }

    static Map<String, ScriptPhase> byWord() {
        Map<String, ScriptPhase> all = new LinkedHashMap<>();
        Arrays.stream(values()).forEach(phase -> all.put(phase.word, phase));
        all.put("ehlo", HELO);
        return all;
    }
}
