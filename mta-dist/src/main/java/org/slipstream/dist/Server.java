package org.slipstream.dist;

import org.slipstream.dist.config.Config;

import java.net.InetSocketAddress;
import java.util.Optional;

/// CONTRACT STUB, being built: a running server, all rooms joined.
public final class Server implements AutoCloseable {
    /// Opens the spool, replays, starts the queue manager, opens the ports. Returns when mail is accepted.
    public static Server start(Config config) throws StartFailure {
        throw new StartFailure("not built yet");
    }

    public Optional<InetSocketAddress> smtp() {
        return Optional.empty();
    }

    public Optional<InetSocketAddress> submission() {
        return Optional.empty();
    }

    public InetSocketAddress admin() {
        return new InetSocketAddress(0);
    }

    /// Refuses new work, lets transfers in progress finish for up to 10 s, closes everything. May be called twice.
    @Override
    public void close() {}
}
