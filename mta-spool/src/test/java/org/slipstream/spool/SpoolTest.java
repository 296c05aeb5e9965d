package org.slipstream.spool;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.MessageSummary;

import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class SpoolTest {
    @TempDir
    Path directory;

    @Test
    void whatWasCommittedIsThereAfterARestart() throws Exception {
        byte[] body = Letters.body(5000, 1);
        MessageSummary committed;
        try (Spool spool = Spools.open(SpoolConfig.at(directory), System::currentTimeMillis)) {
            committed = Letters.commit(spool, Letters.richEnvelope(), body);
            assertThat(Letters.read(spool, committed.id())).isEqualTo(body);
        }
        try (Spool spool = Spools.open(SpoolConfig.at(directory), System::currentTimeMillis)) {
            assertThat(Letters.read(spool, committed.id())).isEqualTo(body);
            assertThat(spool.envelope(committed.id())).contains(Letters.richEnvelope());
            assertThat(spool.details(committed.id()).orElseThrow().summary()).isEqualTo(committed);
        }
    }
}
