package org.slipstream.spool.work;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.spool.MovableMessages.Exported;
import org.slipstream.spool.MovingMessage;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The steps of a move between two spools, and the comparison of what is in them.
final class Moving {
    private Moving() {}

    static Exported export(Spool from, QueueId id, OptionalLong due) {
        return TestMessages.await(then -> from.export(id, due, then));
    }

    static MovingMessage ready(Spool from, QueueId id, OptionalLong due) {
        return ((Exported.Ready) export(from, id, due)).message();
    }

    static Optional<IOException> take(Spool to, MovingMessage message) {
        return TestMessages.await(then -> to.take(message, then));
    }

    static void move(Spool from, Spool to, QueueId id) {
        Optional<IOException> trouble = take(to, ready(from, id, OptionalLong.empty()));
        if (trouble.isPresent()) {
            throw new AssertionError(trouble.get());
        }
        TestMessages.done(then -> from.left(id, then));
        to.arrived(id);
    }

    /// Everything that a spool tells of a message.
    record Known(MessageDetails details, List<PastAttempt> attempts, String body) {
        static Known of(Spool spool, QueueId id) throws IOException {
            return new Known(spool.details(id).orElseThrow(), spool.attempts(id),
                    Arrays.toString(TestMessages.read(spool, id)));
        }
    }
}
