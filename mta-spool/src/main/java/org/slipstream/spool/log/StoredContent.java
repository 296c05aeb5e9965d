package org.slipstream.spool.log;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.ContentSource;
import org.slipstream.core.QueueId;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/// The content of a message: in its record, or beside the log.
final class StoredContent implements Content {
    interface ReadOfLog<T> {
        T read() throws IOException;
    }

    private final QueueId id;
    private final long sizeBytes;
    private final ReadOfLog<SegmentReader.RecordRest> reading;
    private final Optional<LargeContents> beside;
    private final Runnable damaged;
    /// Read for the facts, and used again for the content.
    private Optional<SegmentReader.RecordRest> ahead = Optional.empty();

    /// @param beside where the content is when it is not in the record
    /// @param damaged runs when the record or the content cannot be read
    StoredContent(QueueId id, long sizeBytes, ReadOfLog<SegmentReader.RecordRest> reading,
            Optional<LargeContents> beside, Runnable damaged) {
        this.id = id;
        this.sizeBytes = sizeBytes;
        this.reading = reading;
        this.beside = beside;
        this.damaged = damaged;
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public Optional<ContentFacts> facts() throws IOException {
        ahead = Optional.of(record());
        return ahead.get().facts();
    }

    @Override
    public Optional<ContentSource> source() throws IOException {
        SegmentReader.RecordRest record = taken();
        if (beside.isEmpty()) {
            return Optional.of(new ContentSource.InMemory(record.record(), record.offset(), record.length()));
        }
        NewMessage.InOwnFile reference = record.reference();
        Optional<FileChannel> file = orDamaged(() -> beside.get().file(id));
        return file.isEmpty()
                ? Optional.empty()
                : Optional.of(new ContentSource.InFile(CheckedContent.verified(file.get(), reference, damaged), 0,
                        reference.sizeBytes()));
    }

    @Override
    public InputStream open() throws IOException {
        SegmentReader.RecordRest record = taken();
        return beside.isEmpty()
                ? new ByteArrayInputStream(record.record(), record.offset(), record.length())
                : new CheckedContent(orDamaged(() -> beside.get().open(id)), record.reference(), damaged);
    }

    private SegmentReader.RecordRest taken() throws IOException {
        SegmentReader.RecordRest record = record();
        ahead = Optional.empty();
        return record;
    }

    private SegmentReader.RecordRest record() throws IOException {
        return ahead.isPresent() ? ahead.get() : orDamaged(reading);
    }

    private <T> T orDamaged(ReadOfLog<T> read) throws IOException {
        try {
            return read.read();
        } catch (DamagedMessageException | NoSuchFileException e) {
            damaged.run();
            throw e;
        }
    }
}
