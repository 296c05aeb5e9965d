package org.slipstream.server.report;

import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.ReportableMessages;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// At most one message, without a disk. Reading it fails on request.
final class ReportedMessage implements ReportableMessages {
    final List<String> marks = new ArrayList<>();
    Optional<MessageDetails> details = Optional.empty();
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
