package org.slipstream.spool.index;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.spool.log.EnvelopeCodec;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;
import org.slipstream.spool.log.StoredMessage;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// A message that the cleaner copied to the end of the log.
class CopiedMessageTest {
    private static final QueueId ID = new QueueId(7);

    @TempDir
    Path directory;

    private static LogRecord stored(long segment, boolean copied) {
        Envelope envelope = Envelope.of(Optional.empty(), List.of(Address.of("bob@example.net")));
        return new LogRecord.Stored(new StoredMessage(ID, 1, 10, envelope), new RecordPlace(segment, 64, false),
                EnvelopeCodec.encode(envelope), copied);
    }

    /// Small segments and a recovery put several copies into one transaction.
    @Test
    void twoCopiesInOneTransactionLeaveNoSegmentOccupied() throws Exception {
        try (QueueIndex index = IndexDatabase.open(directory, 1)) {
            index.apply(List.of(stored(1, false)), Position.START, 7);
            index.apply(List.of(stored(2, true), stored(3, true)), Position.START, 7);
            assertThat(index.named().messages()).containsOnlyKeys(3L);
            index.apply(List.of(new LogRecord.Remove(ID)), Position.START, 7);
            assertThat(index.named().messages()).isEmpty();
        }
    }
}
