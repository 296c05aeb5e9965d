package org.slipstream.testkit;

import java.util.Optional;

import javax.net.ssl.SSLContext;

/// A dialogue that a sink follows line by line, to check the exact order in which a client sends.
///
/// A line of the client that does not match ends the connection, and [SmtpSink#close] fails the
/// test.
///
/// | Line | Meaning |
/// |---|---|
/// | `S text` | send this line; neighbours leave in one write |
/// | `C text` | wait for this line, `*` stands for any text |
/// | `DATA` | read content until the final dot |
/// | `CHUNK`, `CHUNK LAST` | wait for BDAT, with LAST or without, and read its content |
/// | `TORN` | read content that breaks off: fail when it has a final dot |
/// | `BYTES n` | read n octets of content |
/// | `TLS` | shake hands for TLS |
/// | `NOTLS` | shake hands for TLS with a client that refuses the certificate |
/// | `RAW text` | send this without a line end |
/// | `GATE` | wait for [SmtpSink#release] |
/// | `STALL` | read and send nothing until the sink is closed |
/// | `EOF` | wait until the client closes |
/// | `DROP` | close |
/// | `CUT` | close with a TCP reset |
///
/// @param tls for the lines `TLS` and `NOTLS`
public record Transcript(String text, Optional<SSLContext> tls) implements SinkPlan {
    /// Greets and announces PIPELINING.
    public static final String HELLO = """
            S 220 sink
            C EHLO me.example
            S 250-sink
            S 250 PIPELINING
            """;
    /// Greets and announces no extension.
    public static final String PLAIN_HELLO = """
            S 220 sink
            C EHLO me.example
            S 250 sink
            """;
    /// The end of a session.
    public static final String BYE = """
            C QUIT
            S 221 bye
            EOF
            """;
    /// Accepts a message from any sender for one recipient.
    public static final String TAKE = """
            C MAIL FROM:<*>*
            C RCPT TO:<*>
            C DATA
            S 250 2.1.0 sender ok
            S 250 2.1.5 recipient ok
            S 354 go
            DATA
            S 250 2.0.0 taken
            """;

    /// A transcript without TLS.
    public static Transcript of(String text) {
        return new Transcript(text, Optional.empty());
    }

    /// The same transcript with a certificate to show.
    public Transcript withTls(SSLContext context) {
        return new Transcript(text, Optional.of(context));
    }
}
