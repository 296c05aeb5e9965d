package org.slipstream.smtpin;

import java.io.IOException;
import java.util.Map;

import javax.net.ssl.SSLContext;

/// One connection as [SmtpStream] needs it; what is behind it is a socket, or a test. Whatever waits for the client is told how long.
interface Link {
    /// Waits for input. @return how many bytes, or -1 when the client has closed its side
    ///
    /// @throws java.net.SocketTimeoutException when the wait is over; nothing more can be read then
    int read(byte[] into, int offset, int length, ClientWait wait) throws IOException;

    /// Like [#read] for a wait that may be in vain: input can be read later.
    ///
    /// @param millis after which there is a [java.net.SocketTimeoutException]
    int readWithin(byte[] into, int offset, int length, int millis, ClientWait wait) throws IOException;

    /// True when nothing more can be read because a wait was over.
    boolean isDeaf();

    /// How much could be read without waiting.
    int available() throws IOException;

    /// The connection is closed when the wait is over.
    void write(byte[] bytes, int offset, int length, ClientWait wait) throws IOException;

    /// Does the server's part of a handshake and goes on in TLS. The connection is closed when the wait is over.
    ///
    /// @return protocol and cipher suite
    String startTls(SSLContext context, ClientWait wait) throws IOException;

    boolean isTls();

    /// The channel's values that a login can be bound to, by name (RFC 5056).
    Map<String, byte[]> bindings();

    /// Says that nothing more will be sent.
    void endOutput(ClientWait wait) throws IOException;

    /// Closes at once, also under the hands of a thread that reads or writes.
    void cut();
}
