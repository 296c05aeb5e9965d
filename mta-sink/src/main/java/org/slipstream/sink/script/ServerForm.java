package org.slipstream.sink.script;

import org.slipstream.core.DataSize;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The lasting properties of a scripted server.
///
/// @param name in the greeting and in the reply to EHLO
/// @param extensions lines of the reply to EHLO, without SIZE and STARTTLS
/// @param sizeLimit of a message
/// @param acceptDelay the wait before each connection is accepted
public record ServerForm(String name, boolean lmtp, List<String> extensions, DataSize sizeLimit,
        PipeliningForm pipelining, TlsBehaviour tls, Duration acceptDelay) {
    static final DataSize USUAL_SIZE = DataSize.ofMebibytes(25);
    static final List<String> EXTENSIONS = List.of("PIPELINING", "8BITMIME", "SMTPUTF8", "CHUNKING", "DSN",
            "ENHANCEDSTATUSCODES", "AUTH PLAIN LOGIN");

    /// Whether the announcement of PIPELINING is true (RFC 2920).
    public enum PipeliningForm {
        HONEST,
        /// Announced, and every command that arrived with the one before it is lost.
        DISCARDS,
        /// Not announced, and commands are taken in groups nevertheless.
        SECRET;

        static Map<String, PipeliningForm> byWord() {
            return Map.of("honest", HONEST, "discards", DISCARDS, "secret", SECRET);
        }
    }

    public ServerForm {
        extensions = List.copyOf(extensions);
    }

    public static String keyword(String extension) {
        return extension.split(" ", 2)[0].toUpperCase(Locale.ROOT);
    }
}
