package org.slipstream.server.operate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.RequestAuthor;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.server.operate.ShardReplies.ShardFault;
import org.slipstream.server.operate.ShardReplies.ShardReply;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Questions to all shards. A shard that does not answer is a fault among the answers and does not
/// hide the others.
///
/// The shards are asked at the same time, because each may take as long as a timeout. The threads are
/// never interrupted, because an interrupt closes the files of a spool.
///
/// @param parts in order of their numbers, those of other nodes last; asked for each question, because shards come
///     and go
public record AllShards<P extends ShardPart>(Supplier<List<P>> parts) {
    private static final Logger log = LoggerFactory.getLogger(AllShards.class);

    @FunctionalInterface
    interface ShardQuestion<P, T> {
        T ask(P shard) throws IOException;
    }

    /// Either a reply or a fault.
    private record Asked<T>(Optional<ShardReply<T>> reply, Optional<ShardFault> fault) {}

    /// Asks all shards. The failure of an only shard is thrown as it is.
    <T> ShardReplies<T> ask(ShardQuestion<P, T> question) throws IOException {
        List<P> shards = parts.get();
        return shards.size() == 1 ? only(shards.getFirst(), question) : ask(shards, question);
    }

    private <T> ShardReplies<T> only(P shard, ShardQuestion<P, T> question) throws IOException {
        return new ShardReplies<>(List.of(new ShardReply<>(shard, question.ask(shard))), List.of());
    }

    <T> ShardReplies<T> ask(List<P> shards, ShardQuestion<P, T> question) {
        Optional<String> author = RequestAuthor.current();
        List<CompletableFuture<Asked<T>>> asked = shards.stream()
                .map(shard -> CompletableFuture.supplyAsync(
                        () -> RequestAuthor.call(author, () -> one(shard, question)), task -> Thread.ofPlatform()
                                .daemon().name("admin-shard-" + shard.number()).start(task)))
                .toList();
        return replies(asked.stream().map(CompletableFuture::join).toList());
    }

    /// Asks one shard after the other until one answers.
    <T> T askAny(ShardQuestion<P, T> question) throws IOException {
        List<Asked<T>> asked = new ArrayList<>();
        for (P shard : parts.get()) {
            asked.add(one(shard, question));
            if (asked.getLast().reply().isPresent()) {
                return asked.getLast().reply().get().value();
            }
        }
        return replies(asked).orFail().values().getFirst();
    }

    private static <T> ShardReplies<T> replies(List<Asked<T>> asked) {
        return new ShardReplies<>(asked.stream().flatMap(each -> each.reply().stream()).toList(),
                asked.stream().flatMap(each -> each.fault().stream()).toList());
    }

    /// Asks one shard after the other until one of them has an answer: first the shard that the id
    /// names, then the others, which may have it when it was moved or when its id is older than shards.
    ///
    /// @return at most one reply, and the faults before it
    <T> ShardReplies<T> find(QueueId id, ShardQuestion<P, Optional<T>> question) {
        List<ShardFault> faults = new ArrayList<>();
        for (P shard : namedFirst(id)) {
            Asked<Optional<T>> asked = one(shard, question);
            Optional<T> value = asked.reply().flatMap(ShardReply::value);
            if (value.isPresent()) {
                return new ShardReplies<>(List.of(new ShardReply<>(shard, value.get())), faults);
            }
            asked.fault().ifPresent(faults::add);
        }
        return new ShardReplies<>(List.of(), faults);
    }

    /// As [#find]. A message that no shard has, although one of them did not answer, may be there.
    <T> Optional<ShardReply<T>> findOrFail(QueueId id, ShardQuestion<P, Optional<T>> question) throws IOException {
        List<P> shards = parts.get();
        if (shards.size() == 1) {
            return question.ask(shards.getFirst()).map(value -> new ShardReply<>(shards.getFirst(), value));
        }
        ShardReplies<T> found = find(id, question);
        return found.replies().isEmpty() && found.faults().isEmpty()
                ? Optional.empty()
                : Optional.of(found.orFail().replies().getFirst());
    }

    private List<P> namedFirst(QueueId id) {
        return parts.get().stream().sorted(Comparator.comparing(shard -> shard.number() != id.shard())).toList();
    }

    private <T> Asked<T> one(P shard, ShardQuestion<P, T> question) {
        try {
            return new Asked<>(Optional.of(new ShardReply<>(shard, question.ask(shard))), Optional.empty());
        } catch (WaitingShard.NotOpenException told) {
            return new Asked<>(Optional.empty(), Optional.of(new ShardFault(shard.number(), told)));
        } catch (IOException | RuntimeException trouble) {
            log.warn("event=shard-not-read shard={} error=\"{}\"", shard.number(),
                    LogText.text(FailureWords.of(trouble)));
            return new Asked<>(Optional.empty(), Optional.of(new ShardFault(shard.number(), trouble)));
        }
    }
}
