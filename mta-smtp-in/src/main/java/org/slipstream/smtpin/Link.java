package org.slipstream.smtpin;

import java.io.IOException;
import java.util.Map;

import javax.net.ssl.SSLContext;

/// One connection as [Wire] needs it; what is behind it is a socket, or a test.
interface Link {
    /// Waits for input as long as [#patience] says. @return how many bytes, or -1 when the client has closed its side
    int read(byte[] into, int offset, int length) throws IOException;

    /// How much could be read without waiting.
    int available() throws IOException;

    /// May wait for a client that reads nothing, without a limit.
    void write(byte[] bytes, int offset, int length) throws IOException;

    /// How long [#read] waits before it throws a [java.net.SocketTimeoutException].
    void patience(int millis) throws IOException;

    /// Like [#patience], for a wait after which the session ends: when it was in vain, nothing more may be read.
    void lastPatience(int millis) throws IOException;

    /// True when nothing more can be read because such a wait was in vain.
    boolean isDeaf();

    /// Does the server's part of a handshake and goes on in TLS.
    ///
    /// @return protocol and cipher suite
    String startTls(SSLContext context) throws IOException;

    boolean isTls();

    /// The channel's values that a login can be bound to, by name (RFC 5056).
    Map<String, byte[]> bindings();

    /// Says that nothing more will be sent.
    void endOutput() throws IOException;

    /// Closes at once, also under the hands of a thread that reads or writes.
    void cut();
}
