package org.slipstream.smtpin;

import java.io.IOException;
import java.time.Duration;

/// CONTRACT STUB, replaced in this issue. One port: accepts sessions until it is closed.
public final class SmtpListener implements AutoCloseable {
    public SmtpListener(ListenerConfig config, MailDoor door) {}

    /// Binds and accepts. @throws IOException when the port is taken or not permitted; the message names it
    public void start() throws IOException {}

    /// The port in fact, for a configured port 0.
    public int port() {
        return 0;
    }

    /// Refuses new sessions with 421, lets running transactions finish for up to `patience`, then closes.
    public void stop(Duration patience) {}

    @Override
    public void close() {
        stop(Duration.ofSeconds(10));
    }
}
