package org.slipstream.server.monitor;

import org.slipstream.admin.operations.Operations.TroubleView;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// Two troubles of the queue that only time shows: deliveries are under way and none ends, and mail that
/// is older than the operator wants. Looked at by one thread; the troubles are read by any.
///
/// The longest wait of a delivery is ten minutes for the last reply (RFC 5321 section 4.5.3.2.6), so in
/// twenty minutes one of them ends.
final class QueueWatch {
    static final Duration STILL = Duration.ofMinutes(20);

    private OptionalLong outcomes = OptionalLong.empty();
    private Instant movedAt = Instant.MIN;
    private volatile Optional<TroubleView> movement = Optional.empty();
    private volatile Optional<TroubleView> oldest = Optional.empty();

    /// @param running deliveries under way
    /// @param ended outcomes since the start
    void look(long running, long ended, Instant now) {
        if (running == 0 || outcomes.isEmpty() || outcomes.getAsLong() != ended) {
            movedAt = now;
        }
        outcomes = OptionalLong.of(ended);
        movement = movedAt.plus(STILL).isAfter(now)
                ? Optional.empty()
                : Optional.of(new TroubleView("movement", movedAt.toString(), "mail does not leave",
                        running + " deliveries are under way, and none has ended for "
                                + Duration.between(movedAt, now).toMinutes() + " minutes"));
    }

    /// @param message the id and the arrival of the oldest message that waits for too long
    void oldest(Optional<OldestMessage> message, Duration limit) {
        oldest = message.map(each -> new TroubleView("oldest", each.created(), "mail is late; mta explain " + each.id()
                + " says why",
                "message " + each.id() + " waits for more than " + limit.toMinutes() + " minutes"));
    }

    record OldestMessage(String id, String created) {}

    List<TroubleView> troubles() {
        return Stream.concat(movement.stream(), oldest.stream()).toList();
    }
}
