package org.slipstream.guard.sender;

import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/// The questions to DNS about one message. Each is asked once, and none is waited for when the time
/// of the message is used up. May be called by any thread.
final class MessageLookup implements DnsLookup {
    private record Question(String name, RecordType type) {}

    private final DnsLookup dns;
    private final LongSupplier nanos;
    private final long endNanos;
    private final Map<Question, CompletableFuture<TextAnswer>> asked = new ConcurrentHashMap<>();

    MessageLookup(DnsLookup dns, LongSupplier nanos, long nanosInAll) {
        this.dns = dns;
        this.nanos = nanos;
        this.endNanos = nanos.getAsLong() + nanosInAll;
    }

    /// Asks, and does not wait.
    CompletableFuture<TextAnswer> begin(String name, RecordType type) {
        return asked.computeIfAbsent(new Question(name, type),
                question -> CompletableFuture.supplyAsync(() -> dns.ask(question.name, question.type),
                        Thread::startVirtualThread));
    }

    @Override
    public TextAnswer ask(String name, RecordType type) {
        long left = endNanos - nanos.getAsLong();
        if (left <= 0) {
            return new TextAnswer.Trouble("no time left for DNS");
        }
        try {
            return begin(name, type).get(left, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return new TextAnswer.Trouble("no answer of DNS in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new TextAnswer.Trouble("the server stops");
        } catch (ExecutionException e) {
            return new TextAnswer.Trouble("a failure in the query: " + e.getCause());
        }
    }
}
