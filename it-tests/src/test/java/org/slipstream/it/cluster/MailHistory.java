package org.slipstream.it.cluster;

import org.slipstream.testkit.OutgoingMessage;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/// All that clients and hosts saw, with the times of one clock (`System.nanoTime()`).
///
/// Messages have numbers, and the number says to which host a message goes. Each has one recipient of its own,
/// and a sender of its own at a host, which gets the report.
final class MailHistory {
    /// Each so many messages are large: they stream to the database in pieces.
    private static final int LARGE_EACH = 60;
    private static final int LARGE = 300_000;
    private static final int SMALL = 1_000;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Integer, Acknowledged> acknowledged = new ConcurrentHashMap<>();
    private final Map<Integer, Acknowledged> open = new ConcurrentHashMap<>();
    private final Map<String, Long> worked = new ConcurrentHashMap<>();
    private final Map<String, List<Long>> times = new ConcurrentHashMap<>();
    private final Queue<Refused> refused = new ConcurrentLinkedQueue<>();
    private final Map<String, List<Copy>> copies = new ConcurrentHashMap<>();

    /// The host of a message, and what it does.
    enum Host {
        TAKES("far.example"),
        /// Puts each message off once.
        LATER("later.example"), REFUSES("refusing.example");

        private final String domain;

        Host(String domain) {
            this.domain = domain;
        }

        String domain() {
            return domain;
        }

        static Host of(int number) {
            return switch (number % 10) {
                case 0 -> REFUSES;
                case 1, 4, 7 -> LATER;
                default -> TAKES;
            };
        }
    }

    /// The 250 of a message.
    ///
    /// @param begun before the first octet of the transaction
    /// @param atNanos when the 250 was read
    record Acknowledged(int number, String node, long begun, long atNanos) {}

    /// A transaction that ended with another reply, or none.
    ///
    /// @param reply empty when the connection ended
    record Refused(String node, String reply, long atNanos) {}

    /// A whole message at a host.
    ///
    /// @param node its name from EHLO
    record Copy(String node, long atNanos) {}

    OutgoingMessage next() {
        int number = numbers.incrementAndGet();
        int length = number % LARGE_EACH == 0 ? LARGE : SMALL;
        return OutgoingMessage.of("m" + number, sender(number), List.of(recipient(number)),
                "A line of the message.\r\n".repeat(length / 24).getBytes(StandardCharsets.US_ASCII));
    }

    static int number(OutgoingMessage message) {
        return Integer.parseInt(message.id().substring(1));
    }

    static String recipient(int number) {
        return "m" + number + "@" + Host.of(number).domain();
    }

    static String sender(int number) {
        return "back" + number + "@" + Host.TAKES.domain();
    }

    /// The address at which the outcome of a message shows: its recipient, or its sender with a report.
    static String outcome(int number) {
        return Host.of(number) == Host.REFUSES ? sender(number) : recipient(number);
    }

    /// The number of the message whose outcome shows at this address.
    static int numberOf(String outcome) {
        return Integer.parseInt(outcome.substring(0, outcome.indexOf('@')).replaceAll("\\D", ""));
    }

    void acknowledged(Acknowledged message) {
        acknowledged.put(message.number(), message);
        open.put(message.number(), message);
        times.computeIfAbsent(message.node(), _ -> Collections.synchronizedList(new ArrayList<>()))
                .add(message.atNanos());
        if (copies.containsKey(outcome(message.number()))) {
            settles(message.number());
        }
    }

    void refused(Refused attempt) {
        refused.add(attempt);
    }

    void received(String recipient, Copy copy) {
        copies.computeIfAbsent(recipient, _ -> new CopyOnWriteArrayList<>()).add(copy);
        int number = numberOf(recipient);
        if (recipient.equals(outcome(number))) {
            settles(number);
        }
    }

    /// Nothing happens before both the 250 and the outcome are there.
    private void settles(int number) {
        Acknowledged message = open.remove(number);
        if (message != null) {
            worked.merge(message.node(), message.begun(), Math::max);
        }
    }

    Map<Integer, Acknowledged> acknowledged() {
        return acknowledged;
    }

    List<Refused> refused() {
        return List.copyOf(refused);
    }

    /// Of each recipient, in order of time.
    Map<String, List<Copy>> copies() {
        return copies;
    }

    /// Messages with a 250 and without an outcome, now.
    List<Acknowledged> open() {
        return List.copyOf(open.values());
    }

    /// Whether a message that began after this moment was acknowledged by the node and has its outcome.
    boolean workedSince(String node, long nanos) {
        return worked.getOrDefault(node, Long.MIN_VALUE) > nanos;
    }

    /// The longest time in which the node gave no 250.
    long longestSilence(String node, long from, long until) {
        List<Long> all = times.getOrDefault(node, List.of());
        long last = from;
        long longest = 0;
        synchronized (all) {
            int at = all.size();
            while (at > 0 && all.get(at - 1) > from) {
                at--;
            }
            for (long time : all.subList(at, all.size())) {
                longest = Math.max(longest, Math.min(time, until) - last);
                last = Math.max(last, time);
            }
        }
        return Math.max(longest, until - last);
    }
}
