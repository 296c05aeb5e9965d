package org.slipstream.core;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LogShardTest {
    private static final String LINE = "event=delivery queue=" + QueueId.after(0, 1_000_000_000_000L, 64)
            + " recipient=<b@far.example> reply=\"250 ok\"";

    @AfterEach
    void one() {
        LogShard.several(false);
    }

    @Test
    void theLinesOfAServerWithOneShardStayAsTheyAre() {
        assertThat(LogShard.suffix("qmgr-1", LINE)).isEmpty();
    }

    @Test
    @Tag("IM-31")
    void aLineHasTheShardOfItsThread() {
        LogShard.several(true);
        for (String thread : new String[]{"qmgr-2", "spool-log-2", "spool-read-2-1", "spool-batch-2-0", "local-2-3",
                "report-2-0", "out-2-17", "out-2-17-in"}) {
            assertThat(LogShard.suffix(thread, LINE)).as(thread).isEqualTo(" shard=2");
            assertThat(LogShard.suffix(thread, "event=no-space")).as(thread).isEqualTo(" shard=2");
        }
    }

    @Test
    @Tag("IM-31")
    void anotherLineAboutAMessageHasTheShardThatItsIdNames() {
        LogShard.several(true);
        for (String thread : new String[]{"session-3", "out-17", "out-17-in", "main", "dns-2"}) {
            assertThat(LogShard.suffix(thread, LINE)).as(thread).isEqualTo(" shard=64");
            assertThat(LogShard.suffix(thread, "event=listening listener=smtp")).as(thread).isEmpty();
        }
    }

    @Test
    void aLineThatNamesAShardNamesNoOther() {
        LogShard.several(true);
        assertThat(LogShard.suffix("qmgr-2", "event=shard-added shard=3")).isEmpty();
        assertThat(LogShard.suffix("qmgr-2", "event=delivery reply=\"550 shard=3\"")).as("a text of a peer")
                .isEqualTo(" shard=2");
        assertThat(LogShard.suffix("main", "event=x reply=\"550 event=x queue=00000000001\"")).isEmpty();
    }
}
