package org.slipstream.sink.script;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/// What STARTTLS leads to.
public enum TlsBehaviour {
    /// STARTTLS is not offered.
    OFF("off"),
    /// A certificate for the name of the server.
    GOOD("good"),
    /// A certificate whose validity ended nine days ago.
    EXPIRED("expired"),
    /// A certificate for another name.
    WRONG_NAME("wrong-name"),
    /// The alert `handshake_failure` to every ClientHello.
    HANDSHAKE_FAILURE("handshake-failure"),
    /// The connection is closed after the ClientHello.
    CLOSES("closes"),
    /// The alert `protocol_version`, as servers send it that know no version of today.
    OLD_PROTOCOLS("old-protocols"),
    /// STARTTLS is offered and answered with 454.
    REFUSED("refused");

    private final String word;

    TlsBehaviour(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    static Map<String, TlsBehaviour> byWord() {
        Map<String, TlsBehaviour> all = new LinkedHashMap<>();
        Arrays.stream(values()).forEach(each -> all.put(each.word, each));
        return all;
    }
}
