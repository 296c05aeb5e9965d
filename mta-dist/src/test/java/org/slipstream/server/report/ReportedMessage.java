package org.slipstream.server.report;

import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.Draft;
import org.slipstream.spool.ReportableMessages;
import org.slipstream.spool.log.LogRecord;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// At most one message, without a disk. Reading it fails on request.
final class ReportedMessage implements ReportableMessages {
    final List<String> marks = new ArrayList<>();
    Optional<MessageDetails> details = Optional.empty();
    String about = "";
    byte[] octets = {};
    Optional<IOException> onDetails = Optional.empty();
    Optional<IOException> onContent = Optional.empty();

    @Override
    public Optional<MessageDetails> details(QueueId id) throws IOException {
        if (onDetails.isPresent()) {
            throw onDetails.get();
        }
        return details;
    }

    @Override
    public Content content(QueueId id) throws IOException {
        if (onContent.isPresent()) {
            throw onContent.get();
        }
        return new Content() {
            @Override
            public long sizeBytes() {
                return octets.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(octets);
            }
        };
    }

    /// The change that the latest draft has with it, and no more of the draft.
    @Override
    public Draft draftAbout(LogRecord.OfMessage change) {
        about = switch (change) {
            case LogRecord.FailuresReported(QueueId id) -> "failed " + id;
            case LogRecord.DelayReported(QueueId id, int count) -> "delayed " + id + " " + count;
            case LogRecord.Remove(QueueId id) -> "removed " + id;
            default -> throw new IllegalArgumentException("not of a report: " + change);
        };
        return (Draft) Proxy.newProxyInstance(Draft.class.getClassLoader(), new Class<?>[]{Draft.class},
                (_, method, _) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    @Override
    public void failuresReported(QueueId id, Runnable then) {
        marks.add("failed " + id);
        then.run();
    }

    @Override
    public void delayReported(QueueId id, int count, Runnable then) {
        marks.add("delayed " + id + " " + count);
        then.run();
    }
}
