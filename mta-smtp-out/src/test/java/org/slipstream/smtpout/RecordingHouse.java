package org.slipstream.smtpout;

import org.awaitility.Awaitility;
import org.slipstream.core.Outcome;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Stands for the queue manager: writes down what carriers tell it, and lets tests wait for it.
final class RecordingHouse implements CarrierEvents {
    private final List<News> news = new ArrayList<>();

    sealed interface News {
        long connection();
    }

    record Ready(long connection) implements News {}

    record Failed(long connection, Reply reason, String remote) implements News {}

    record Done(long delivery, long connection, List<RecipientOutcome> outcomes, boolean usable, boolean siteTrouble)
            implements
                News {
        Outcome only() {
            if (outcomes.size() != 1) {
                throw new AssertionError(this);
            }
            return outcomes.getFirst().outcome();
        }

        Reply reply() {
            return only().reply();
        }
    }

    record Lost(long connection, String reason) implements News {}

    @Override
    public void ready(long connection) {
        add(new Ready(connection));
    }

    @Override
    public void failed(long connection, Reply reason, String remote) {
        add(new Failed(connection, reason, remote));
    }

    @Override
    public void done(long delivery, long connection, List<RecipientOutcome> outcomes, boolean usable,
            boolean siteTrouble) {
        add(new Done(delivery, connection, outcomes, usable, siteTrouble));
    }

    @Override
    public void lost(long connection, String reason) {
        add(new Lost(connection, reason));
    }

    private synchronized void add(News item) {
        news.add(item);
    }

    synchronized List<News> news() {
        return List.copyOf(news);
    }

    Ready ready() {
        return await(Ready.class, _ -> true);
    }

    Failed failed() {
        return await(Failed.class, _ -> true);
    }

    Lost lost() {
        return await(Lost.class, _ -> true);
    }

    Done done(long delivery) {
        return await(Done.class, d -> d.delivery() == delivery);
    }

    <T extends News> T await(Class<T> kind, Predicate<T> which) {
        return Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(5))
                .until(() -> news().stream().filter(kind::isInstance).map(kind::cast).filter(which).findFirst(),
                        java.util.Optional::isPresent)
                .orElseThrow();
    }
}
