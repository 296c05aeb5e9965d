package org.slipstream.spool.work;

import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.follow.ChangeSink;
import org.slipstream.spool.follow.MessageChange;
import org.slipstream.spool.log.Position;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;

/// A sink that keeps changes as the files of events do: each once, with its place, durable after a sync.
final class FollowingSink implements ChangeSink {
    /// @param at moment of the disk
    record Synced(int at, int count) {}

    final List<MessageChange> taken = new ArrayList<>();
    final List<Synced> syncs = new ArrayList<>();
    final List<String> losses = new ArrayList<>();
    private final IntSupplier disk;
    private Optional<Position> begin;
    volatile boolean failing;
    volatile long ceilingBytes = Long.MAX_VALUE;

    FollowingSink() {
        this(Optional.empty(), List.of(), () -> 0);
    }

    /// @param had what an earlier process made durable
    FollowingSink(Optional<Position> begin, List<MessageChange> had, IntSupplier disk) {
        this.begin = begin;
        this.disk = disk;
        taken.addAll(had);
    }

    Optional<Position> begin() {
        return begin;
    }

    @Override
    public synchronized Position start(Position end) {
        begin = Optional.of(begin.orElse(end));
        return taken.isEmpty() ? begin.get() : taken.getLast().at();
    }

    @Override
    public synchronized void take(List<MessageChange> changes, Position upTo) throws IOException {
        if (failing) {
            throw new IOException("failing by the test");
        }
        changes.stream().filter(each -> taken.isEmpty() || isBehind(each, taken.getLast())).forEach(taken::add);
    }

    private static boolean isBehind(MessageChange one, MessageChange other) {
        int place = one.at().compareTo(other.at());
        return place > 0 || place == 0 && one.number() > other.number();
    }

    @Override
    public synchronized void lost(long count, String reason) {
        losses.add(count + " " + reason);
    }

    @Override
    public synchronized void sync() {
        syncs.add(new Synced(disk.getAsInt(), taken.size()));
    }

    @Override
    public long ceilingBytes() {
        return ceilingBytes;
    }

    @Override
    public void close() {}

    synchronized List<String> told() {
        return taken.stream().map(FollowingSink::text).toList();
    }

    /// The change as a program would read it.
    static String text(MessageChange change) {
        String id = change.id() + " ";
        return switch (change.what()) {
            case MessageChange.Accepted _ -> id + "accepted " + change.message().orElseThrow().envelope().recipients()
                    .stream().map(each -> each.address().toString()).toList();
            case MessageChange.Decided(RecipientOutcome outcome, long _, var attempt) -> id + recipient(change, outcome)
                    + " " + outcome.outcome().reply().code()
                    + (attempt.isPresent() ? " attempt " + attempt.getAsInt() : "");
            case MessageChange.HoldSet(boolean held) -> id + (held ? "held" : "released");
            case MessageChange.Deleted _ -> id + "deleted";
        };
    }

    private static String recipient(MessageChange change, RecipientOutcome outcome) {
        return change.message().map(each -> each.envelope().recipients().get(outcome.number() - 1).address().toString())
                .orElse("unknown " + outcome.number());
    }
}
