package org.slipstream.bench.load.abuse;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/// Ordinary mail: a session every fifty milliseconds with one message of 4 KiB, and the time from
/// the call to the 250 that acknowledges it, or to its arrival at the next server. Mail of a program of
/// this machine is a file in the maildrop. One thread.
final class Honest {
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final int TIMEOUT_SECONDS = 60;
    private static final String TEXT = "From: a@client.example\r\nSubject: honest\r\n\r\n" + "x".repeat(76)
            .concat("\r\n").repeat(50);

    private final Target target;
    private final BlockingQueue<Long> arrivals;
    private long number;

    /// @param arrivals numbers of messages that have arrived at the healthy next server
    Honest(Target target, BlockingQueue<Long> arrivals) {
        this.target = target;
        this.arrivals = arrivals;
    }

    /// @param millis of each message that was taken, in ascending order
    /// @param failed messages that were not
    record Felt(List<Double> millis, int failed, String firstFailure) {
        double quantile(double share) {
            return millis.isEmpty() ? Double.NaN : millis.get((int) Math.min(millis.size() - 1, share * millis.size()));
        }
    }

    Felt during(Duration time, AbuseScenario.Honesty way) throws InterruptedException {
        List<Double> millis = new ArrayList<>();
        int failed = 0;
        String first = "";
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            long start = System.nanoTime();
            try {
                send(way);
                millis.add((System.nanoTime() - start) / 1e6);
            } catch (IOException refused) {
                failed++;
                first = first.isEmpty() ? String.valueOf(refused.getMessage()) : first;
            }
            Thread.sleep(PAUSE);
        }
        Collections.sort(millis);
        return new Felt(List.copyOf(millis), failed, first);
    }

    private void send(AbuseScenario.Honesty way) throws IOException, InterruptedException {
        number++;
        if (way == AbuseScenario.Honesty.LOCAL) {
            Drops.put(target.home(), "honest", way.recipient, TEXT + "%012d\r\n".formatted(number));
        } else {
            converse(way);
        }
        if (way.relayed) {
            awaitArrival();
        }
    }

    private void converse(AbuseScenario.Honesty way) throws IOException {
        try (Caller client = Caller.from(way.network, target.smtp())) {
            client.begin(way.recipient);
            client.send(TEXT + "%012d\r\n.\r\n".formatted(number));
            String reply = client.reply();
            if (!reply.startsWith("250")) {
                throw new IOException("final dot answered with " + reply);
            }
        }
    }

    private void awaitArrival() throws IOException, InterruptedException {
        Long arrived;
        do {
            arrived = arrivals.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } while (arrived != null && arrived < number);
        if (arrived == null) {
            throw new IOException("not at the next server after " + TIMEOUT_SECONDS + " s");
        }
    }
}
