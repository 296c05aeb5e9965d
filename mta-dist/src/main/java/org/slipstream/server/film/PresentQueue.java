package org.slipstream.server.film;

import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.Operations.DestinationView;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.config.Config;
import org.slipstream.config.ReadResult;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.server.film.QueueWorlds.QueueWorld;
import org.slipstream.settings.Problem;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The queue of the running server as a simulated world, and the settings under which it runs there.
///
/// @param settings those of the server with some of them changed
public record PresentQueue(QueueReader queue, QueueWorlds worlds, Function<List<String>, ReadResult> settings) {
    private static final int PAGE = 1_000;

    /// The queue as an operator reads it.
    public interface QueueReader {
        QueuePage page(Optional<QueueId> after, int limit) throws IOException;

        List<DestinationView> destinations() throws IOException;

        static QueueReader of(Operations operations) {
            return new QueueReader() {
                @Override
                public QueuePage page(Optional<QueueId> after, int limit) throws IOException {
                    return operations.list(QueueFilter.ANY, after, limit);
                }

                @Override
                public List<DestinationView> destinations() throws IOException {
                    return operations.status().destinations();
                }
            };
        }
    }

    /// @throws IOException with a sentence, when the queue has more recipients than may be simulated here
    QueueWorld world(Config present, long mostRecipients) throws IOException {
        String taken = Instant.now().toString();
        List<MessageView> messages = new ArrayList<>();
        long recipients = 0;
        Optional<QueueId> after = Optional.empty();
        do {
            QueuePage page = queue.page(after, PAGE);
            messages.addAll(page.messages());
            recipients += page.messages().stream().mapToLong(each -> each.recipients().size()).sum();
            if (recipients > mostRecipients) {
                throw new IOException("the queue has more than " + mostRecipients
                        + " recipients, more than the server can spare memory for; run mta lab what-if --from-live");
            }
            after = page.next().flatMap(QueueId::parse);
        } while (after.isPresent());
        return worlds.of(taken, messages, queue.destinations(), present);
    }

    /// @throws IllegalArgumentException with the first mistake
    Config settings(List<String> changes) {
        return switch (settings.apply(changes)) {
            case ReadResult.Accepted(Config config) -> config;
            case ReadResult.Rejected(List<Problem> problems) -> throw new IllegalArgumentException(
                    problems.stream().limit(1).map(Problem::toString).collect(Collectors.joining()));
        };
    }
}
