package org.slipstream.inject;

import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// The server behind the port: it keeps what it gets, or only counts it.
final class FakeServer implements InjectionTarget {
    static final String TOKEN = "secret";

    record Kept(QueueId id, MessageParts parts, String content) {}

    final List<Kept> kept = new CopyOnWriteArrayList<>();
    final AtomicInteger stored = new AtomicInteger();
    boolean keeps = true;
    InjectionLimits limits = new InjectionLimits(1 << 20, 10);
    /// An answer other than that the message is stored.
    volatile Function<MessageParts, Optional<Submitted>> instead = _ -> Optional.empty();

    @Override
    public Optional<InjectingProgram> program(String token) {
        return token.equals(TOKEN) ? Optional.of(new InjectingProgram("shop", "ann")) : Optional.empty();
    }

    @Override
    public InjectionLimits limits() {
        return limits;
    }

    @Override
    public Submitted submit(InjectingProgram program, CallerAddress caller, MessageParts message, DurableMark mark)
            throws IOException {
        Optional<Submitted> other = instead.apply(message);
        if (other.isPresent()) {
            return other.get();
        }
        QueueId id = new QueueId(stored.incrementAndGet());
        mark.begins(id);
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        message.content().writeTo(content);
        if (keeps) {
            kept.add(new Kept(id, message, content.toString(StandardCharsets.UTF_8)));
        }
        mark.isStored();
        return new Submitted.Stored(id, Optional.of("<" + id + "@here.example>"), List.of());
    }

    static Submitted refusal(int code, String status) {
        return new Submitted.Rejected(Reply.of(code, status, "no"), false, List.of());
    }
}
