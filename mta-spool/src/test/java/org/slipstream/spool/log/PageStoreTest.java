package org.slipstream.spool.log;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.slipstream.spool.postgres.LogClaim;
import org.slipstream.spool.postgres.LogDatabase;
import org.slipstream.spool.postgres.PageStore;
import org.slipstream.spool.postgres.Postgres;

import java.io.IOException;
import java.time.Duration;

class PageStoreTest extends LogStoreContract {
    private static LogDatabase database;
    private static int shards;

    /// Each test has a log of its own.
    private final int shard = ++shards;

    @BeforeAll
    static void open() throws Exception {
        database = LogDatabase.open(Postgres.database());
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    LogStore claim() throws IOException {
        long epoch = PageStore.claim(database, shard, "a", Duration.ofMinutes(1));
        return PageStore.open(new LogClaim(database, shard, epoch), Duration.ZERO, () -> {});
    }

    @Override
    LogStore toLook() {
        return PageStore.toLook(database, shard, () -> {});
    }

    /// Each life makes tables.
    @Override
    @RepeatedTest(5)
    void itIsAMapOfOctets() throws Exception {
        super.itIsAMapOfOctets();
    }
}
