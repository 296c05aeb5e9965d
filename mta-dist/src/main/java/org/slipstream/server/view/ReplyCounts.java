package org.slipstream.server.view;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;

import java.util.concurrent.atomic.LongAdder;

/// Counts final replies for recipients by their class and by the subject of their enhanced status (RFC 3463
/// section 3). Both are bounded, whatever a host replies.
public final class ReplyCounts {
    private static final String[] CLASSES = {"2", "4", "5"};
    private static final String[] SUBJECTS = {"other", "address", "mailbox", "system", "network", "protocol", "content",
            "policy"};

    private final LongAdder[][] counts = new LongAdder[CLASSES.length][SUBJECTS.length];

    ReplyCounts() {
        for (LongAdder[] row : counts) {
            for (int i = 0; i < row.length; i++) {
                row[i] = new LongAdder();
            }
        }
    }

    void count(Reply reply) {
        int row = reply.isPositive() ? 0 : reply.isTransient() ? 1 : 2;
        int subject = reply.status().map(EnhancedStatus::subject).orElse(0);
        counts[row][subject > 0 && subject < SUBJECTS.length ? subject : 0].increment();
    }

    /// The reader of the counts.
    @FunctionalInterface
    public interface ReplyReader {
        void read(String replyClass, String subject, long count);
    }

    public void each(ReplyReader reader) {
        for (int row = 0; row < CLASSES.length; row++) {
            for (int subject = 0; subject < SUBJECTS.length; subject++) {
                reader.read(CLASSES[row], SUBJECTS[subject], counts[row][subject].sum());
            }
        }
    }
}
