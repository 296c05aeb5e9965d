package org.slipstream.smtpin;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import javax.net.ssl.SSLContext;

/// The connection below a [SmtpStream]: a socket, or a fake in tests. Every call that waits for the
/// client gets a [ClientWait].
interface Link {
    /// Waits for input. @return the number of bytes, or -1 when the client has closed its side
    ///
    /// @throws java.net.SocketTimeoutException when the wait is over; no later read succeeds
    int read(byte[] into, int offset, int length, ClientWait wait) throws IOException;

    /// Like [#read] with a short timeout after which the input stays readable.
    ///
    /// @param millis until a [java.net.SocketTimeoutException]
    int readWithin(byte[] into, int offset, int length, int millis, ClientWait wait) throws IOException;

    /// True when a timeout has ended the input.
    boolean isInputEnded();

    /// The number of bytes that can be read without waiting.
    int available() throws IOException;

    /// The connection is closed when the wait is over.
    void write(byte[] bytes, int offset, int length, ClientWait wait) throws IOException;

    /// Performs the server's side of a TLS handshake and continues in TLS. Closes the connection
    /// when the wait is over.
    ///
    /// @return protocol and cipher suite
    String startTls(SSLContext context, ClientWait wait) throws IOException;

    boolean isTls();

    /// The channel binding values of a TLS connection by name (RFC 5056).
    Map<String, byte[]> bindings();

    /// The address of this server that the client reached; empty when unknown.
    default Optional<InetAddress> localAddress() {
        return Optional.empty();
    }

    /// Closes the output.
    void endOutput(ClientWait wait) throws IOException;

    /// Waits until another thread aborts the connection, at most for this time.
    void awaitAbort(Duration most) throws InterruptedException;

    /// Closes at once, also while another thread reads or writes.
    void abort();
}
