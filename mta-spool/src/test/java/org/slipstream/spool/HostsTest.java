package org.slipstream.spool;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.spool.register.HostRow;
import org.slipstream.spool.register.RegisterException;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// What the destination database has learnt survives a restart, and never keeps mail waiting.
class HostsTest {
    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    private static HostRow row(String key, String reason) {
        return new HostRow(key, "RETRY", reason, "", 2_000, 1_000, "mx.example.net 3");
    }

    @Test
    void hostsAreThereAfterARestartAsTheyWereSaidLast() throws Exception {
        HostRow suspended = new HostRow("192.0.2.2:25 SUSPENDED", "SUSPENDED", "moving house — till monday", "ann",
                Long.MAX_VALUE, 5, "");
        try (Spool spool = world.open(directory)) {
            assertThat(spool.loadHosts()).isEmpty();
            spool.saveHosts(List.of(row("192.0.2.1:25 RETRY", "451 busy"), suspended), List.of());
            spool.saveHosts(List.of(row("192.0.2.3:25 RETRY", "gone tomorrow")), List.of());
            spool.saveHosts(List.of(row("192.0.2.1:25 RETRY", "451 still busy")), List.of("192.0.2.3:25 RETRY", "?"));
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.loadHosts()).containsExactly(row("192.0.2.1:25 RETRY", "451 still busy"), suspended);
            spool.saveHosts(List.of(), List.of("192.0.2.1:25 RETRY"));
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.loadHosts()).containsExactly(suspended);
        }
    }

    @Test
    void aHostForgottenAndLearntAgainInOneWordIsKnown() throws Exception {
        try (Spool spool = world.open(directory)) {
            spool.saveHosts(List.of(row("a", "new")), List.of("a"));
            Letters.commit(spool, "bob@example.net", new byte[10]);
            assertThat(spool.loadHosts()).containsExactly(row("a", "new"));
        }
    }

    @Test
    void hostsRideInTheGroupOfALetter() throws Exception {
        CompletableFuture<Void> held = new CompletableFuture<>();
        try (Spool spool = world.open(directory)) {
            QueueId first = Letters.commit(spool, "bob@example.net", new byte[10]);
            world.trouble = (call, _) -> {
                if (call.equals("register.barrier")) {
                    held.get(20, TimeUnit.SECONDS);
                }
            };
            CompletableFuture<Void> deferred = new CompletableFuture<>();
            spool.defer(first, 5, () -> {});
            org.awaitility.Awaitility.await().until(() -> world.calls.getLast().equals("register.barrier"));
            world.calls.clear();
            spool.saveHosts(List.of(row("a", "x")), List.of());
            spool.defer(first, 6, () -> deferred.complete(null));
            held.complete(null);
            deferred.get(20, TimeUnit.SECONDS);
            assertThat(world.count("register.write")).isEqualTo(1);
            assertThat(spool.loadHosts()).containsExactly(row("a", "x"));
        }
    }

    @Test
    void hostsThatCannotBeSavedKeepNoLetterWaiting() throws Exception {
        try (Spool spool = world.open(directory)) {
            world.trouble = (call, arguments) -> {
                if (call.equals("register.write") && arguments[0].toString().contains("Hosts[")) {
                    throw new RegisterException("no", new SQLException("too long", "22001"));
                }
            };
            spool.saveHosts(List.of(row("a", "x")), List.of());
            Letters.done(then -> spool.makeDue(java.util.Optional.empty(), java.util.Optional.of("example.net"), 1,
                    then));
            assertThat(Letters.commit(spool, "bob@example.net", new byte[10])).isNotNull();
        }
    }

    @Test
    void theSpoolOfTheFirstSchemaIsBroughtUpToDate() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId id = Letters.commit(spool, "bob@example.net", new byte[10]);
            Letters.done(then -> spool.defer(id, 7, then));
            Letters.commit(spool, "bob@example.net", Letters.body(200_000, 1));
            Letters.done(then -> spool.defer(id, 7, then));
        }
        TestWorld.sql(directory, "drop table host", "drop table segment", "drop table large_letter",
                "alter table message drop column envelope",
                "delete from \"flyway_schema_history\" where \"version\" in ('2', '3')", "shutdown");
        try (Spool spool = world.open(directory)) {
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(2, 0, 0, 200_010));
            spool.saveHosts(List.of(row("a", "x")), List.of());
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.loadHosts()).containsExactly(row("a", "x"));
        }
    }
}
