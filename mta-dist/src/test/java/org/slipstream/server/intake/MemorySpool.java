package org.slipstream.server.intake;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueueId;
import org.slipstream.core.QueueName;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.spool.Draft;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.index.Search;
import org.slipstream.spool.log.HostRecord;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// A spool without a disk, as far as the input side and reports need one. It fails on request.
public final class MemorySpool implements Spool {
    /// The committed messages.
    public record Stored(Envelope envelope, byte[] content, Optional<ContentFacts> facts) {}

    public final Map<QueueId, Stored> messages = new LinkedHashMap<>();
    public final Map<QueueId, Details> details = new LinkedHashMap<>();
    public final List<String> reported = new ArrayList<>();
    public Optional<IOException> onCommit = Optional.empty();
    public Optional<IOException> onRead = Optional.empty();
    public Optional<IOException> onMessage = Optional.empty();
    public final Map<String, HostRecord> hosts = new LinkedHashMap<>();
    public boolean full;
    private long last = 1_795_269_600_000L << 10;

    @Override
    public Draft draft() throws NoSpaceException {
        if (full) {
            throw new NoSpaceException("full");
        }
        QueueId id = new QueueId(++last);
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        return new Draft() {
            @Override
            public QueueId id() {
                return id;
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                content.write(bytes, offset, length);
            }

            @Override
            public MessageSummary commit(Envelope envelope, Optional<ContentFacts> facts) throws IOException {
                if (onCommit.isPresent()) {
                    throw onCommit.get();
                }
                messages.put(id, new Stored(envelope, content.toByteArray(), facts));
                int recipients = envelope.recipients().size();
                return new MessageSummary(id, envelope.sender(), id.value() >> 10, content.size(), recipients,
                        recipients,
                        0, 0, false, false);
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public Content content(QueueId id) throws IOException {
        if (onMessage.isPresent()) {
            throw onMessage.get();
        }
        byte[] content = messages.get(id).content();
        return new Content() {
            @Override
            public long sizeBytes() {
                return content.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(content);
            }
        };
    }

    @Override
    public Optional<Details> details(QueueId id) throws IOException {
        if (onRead.isPresent()) {
            throw onRead.get();
        }
        return Optional.ofNullable(details.get(id));
    }

    @Override
    public void failuresReported(QueueId id, Runnable then) {
        reported.add("failed " + id);
        then.run();
    }

    @Override
    public void delayReported(QueueId id, Runnable then) {
        reported.add("delayed " + id);
        then.run();
    }

    @Override
    public void keepHost(HostRecord host) {
        hosts.put(host.host() + " " + host.kind(), host);
    }

    @Override
    public void forgetHost(String host, String kind) {
        hosts.remove(host + " " + kind);
    }

    @Override
    public List<HostRecord> hosts() {
        return List.copyOf(hosts.values());
    }

    @Override
    public void record(QueueId id, List<RecipientOutcome> outcomes, boolean attempt, Runnable then) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void defer(QueueId id, long nextAttemptMillis, Runnable then) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void remove(QueueId id, Runnable then) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void hold(QueueId id, boolean held, Runnable then) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void makeDue(Optional<QueueId> id, Optional<String> domain, long nowMillis, Runnable then) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void claimDue(QueueName queue, long nowMillis, int limit, long leaseUntilMillis,
            long heldCreatedBeforeMillis,
            long furthestMillis, Consumer<Claimed> then) {
        throw new UnsupportedOperationException();
    }

    @Override
    public RecipientBatch readRecipients(QueueId id, int after, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<InMemory> inMemory(QueueId id) {
        return Optional.empty();
    }

    @Override
    public Optional<Envelope> envelope(QueueId id) {
        return Optional.ofNullable(messages.get(id)).map(Stored::envelope);
    }

    @Override
    public List<Details> list(Optional<QueueId> after, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<SetAside> setAside(Optional<QueueId> after, int limit) {
        return List.of();
    }

    @Override
    public QueueIndex.Found find(Search search, Optional<QueueId> after, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public QueueIndex.Found tried(String domain) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Details> details(List<QueueId> ids) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Trouble> troubles() {
        return List.of();
    }

    @Override
    public Counts counts() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
