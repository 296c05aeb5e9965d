package org.slipstream.admin;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/// A queue in memory that writes down what it was asked to do.
final class FakeOperations implements Operations {
    final TreeMap<QueueId, MessageView> queue = new TreeMap<>();
    final List<String> orders = new ArrayList<>();
    boolean broken;

    QueueId put(long number, String recipient) {
        QueueId id = new QueueId(number);
        queue.put(id, new MessageView(id.toString(), "a@here.example", 1234, "deferred", "2026-11-21T10:00:00Z",
                "2026-11-21T10:05:00Z", 2, "connection refused",
                List.of(new RecipientView(recipient, "open", "450 4.4.1 connection refused", "mx.far.example"))));
        return id;
    }

    @Override
    public QueuePage list(Optional<QueueId> after, int limit) throws IOException {
        if (broken) {
            throw new IOException("the register does not answer");
        }
        var rest = after.map(id -> queue.tailMap(id, false)).orElse(queue);
        List<MessageView> page = rest.values().stream().limit(limit).toList();
        Optional<String> next = page.size() < rest.size() ? Optional.of(page.getLast().id()) : Optional.empty();
        return new QueuePage(page, next, queue.size());
    }

    @Override
    public Optional<MessageView> show(QueueId id) {
        return Optional.ofNullable(queue.get(id));
    }

    @Override
    public boolean flush(QueueId id) {
        return order("flush", id);
    }

    @Override
    public void flushAll(Optional<String> domain) {
        orders.add("flush all " + domain.orElse("domains"));
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
        return order("delete", id) && queue.remove(id) != null;
    }

    @Override
    public Status status() {
        if (broken) {
            throw new IllegalStateException("the queue manager is gone");
        }
        return new Status("0.1", "mail.example.org", "2026-11-21T09:00:00Z", queue.size(), 0, 0, 1,
                List.of(new DestinationView("smtp", "far.example", 3, 1, 1)));
    }

    private boolean order(String name, QueueId id) {
        orders.add(name + " " + id);
        return queue.containsKey(id);
    }
}
