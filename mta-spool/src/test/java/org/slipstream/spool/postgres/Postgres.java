package org.slipstream.spool.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.slipstream.testkit.server.TestPostgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/// A real PostgreSQL for the time of the test run, with a database of its own for each test.
public final class Postgres {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private Postgres() {}

    private static final class Server {
        static final EmbeddedPostgres RUNNING = start();

        private static EmbeddedPostgres start() {
            try {
                EmbeddedPostgres server = TestPostgres.start();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
                return server;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void stop(EmbeddedPostgres server) {
            try {
                server.close();
            } catch (IOException e) {
                System.err.println("PostgreSQL did not stop: " + e);
            }
        }
    }

    /// The URL of an empty database.
    public static String database() throws SQLException {
        String name = "spool" + DATABASES.incrementAndGet();
        try (Connection connection = Server.RUNNING.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
        }
        return Server.RUNNING.getJdbcUrl("postgres", name);
    }
}
