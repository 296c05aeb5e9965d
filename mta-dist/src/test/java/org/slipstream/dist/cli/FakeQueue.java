package org.slipstream.dist.cli;

import org.slipstream.admin.Operations;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// A queue made of a map.
final class FakeQueue implements Operations {
    final TreeMap<QueueId, MessageView> messages = new TreeMap<>();
    final List<String> orders = new ArrayList<>();
    String why = "450 4.4.1 nobody there";
    boolean broken;

    QueueId put(long number, String sender, String state, String... recipients) {
        QueueId id = new QueueId(number);
        messages.put(id, new MessageView(id.toString(), sender, 2048, state,
                Instant.now().minusSeconds(4000).toString(), Instant.now().plusSeconds(4000).toString(), 3, "",
                List.of(recipients).stream().map(r -> new RecipientView(r, "open", "", "mx.far.example"))
                        .toList()));
        return id;
    }

    private MessageView told(MessageView view) {
        return new MessageView(view.id(), view.sender(), view.sizeBytes(), view.state(), view.created(),
                view.nextAttempt(), view.attempts(), why,
                view.recipients().stream().map(r -> new RecipientView(r.address(), r.state(), why, r.remote()))
                        .toList());
    }

    @Override
    public QueuePage list(Optional<QueueId> after, int limit) throws IOException {
        if (broken) {
            throw new IOException("the register does not answer");
        }
        var rest = after.map(id -> messages.tailMap(id, false)).orElse(messages);
        List<MessageView> page = rest.values().stream().limit(limit).map(this::told).toList();
        return new QueuePage(page,
                page.size() < rest.size() ? Optional.of(page.getLast().id()) : Optional.empty(), messages.size());
    }

    @Override
    public Optional<MessageView> show(QueueId id) {
        return Optional.ofNullable(messages.get(id)).map(this::told);
    }

    @Override
    public boolean flush(QueueId id) {
        return order("flush", id);
    }

    @Override
    public void flushAll(Optional<String> domain) {
        orders.add("flush " + domain.orElse("everything"));
    }

    @Override
    public boolean hold(QueueId id) {
        return order("hold", id);
    }

    @Override
    public boolean release(QueueId id) {
        return order("release", id);
    }

    @Override
    public boolean delete(QueueId id) {
        return messages.remove(id) != null;
    }

    @Override
    public Status status() {
        return new Status("0.1", "mail.here.example", Instant.now().toString(), messages.size(), 0, 0, 0,
                List.of(new DestinationView("smtp", "far.example", 1, 0, 0)));
    }

    private boolean order(String name, QueueId id) {
        orders.add(name + " " + id);
        return messages.containsKey(id);
    }
}
