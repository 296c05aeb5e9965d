package example;

import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/// Keeps messages so that a kill or a power cut loses none.
public final class Letterbox implements AutoCloseable {
    private static final int PAGE = 100;

    private final Spool spool;

    /// Opens the folder, or makes it. One process at a time can have it open.
    public Letterbox(Path folder) throws SpoolException {
        spool = Spools.open(SpoolConfig.at(folder), System::currentTimeMillis);
    }

    /// Returns when the message is on disk, synced.
    public QueueId put(Envelope envelope, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (Draft draft = spool.draft()) {
            draft.write(bytes, 0, bytes.length);
            return draft.commit(envelope).id();
        }
    }

    /// The first messages, in order of arrival.
    public List<QueueId> list() throws IOException {
        return spool.list(Optional.empty(), PAGE).stream().map(each -> each.summary().id()).toList();
    }

    public String text(QueueId id) throws IOException {
        try (InputStream in = spool.content(id).open()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /// Returns when the removal is on disk.
    public void remove(QueueId id) throws InterruptedException {
        var removed = new CountDownLatch(1);
        spool.remove(id, removed::countDown);
        removed.await();
    }

    @Override
    public void close() {
        spool.close();
    }
}
