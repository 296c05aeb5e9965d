package org.slipstream.bench.abuse;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// Honest mail: a session every fifty milliseconds with one message of 4 KiB, and how long each took from the call to the 250
/// that promises it. One thread.
final class Honest {
    private static final Duration PAUSE = Duration.ofMillis(50);
    /// The third octet of honest clients.
    private static final int NETWORK = 9;
    private static final String TEXT = "From: a@client.example\r\nSubject: honest\r\n\r\n" + "x".repeat(76)
            .concat("\r\n").repeat(50) + ".\r\n";

    private final InetSocketAddress server;

    Honest(InetSocketAddress server) {
        this.server = server;
    }

    /// @param millis of each message that was taken, in ascending order
    /// @param failed messages that were not
    record Felt(List<Double> millis, int failed, String firstFailure) {
        double quantile(double share) {
            return millis.isEmpty() ? Double.NaN : millis.get((int) Math.min(millis.size() - 1, share * millis.size()));
        }
    }

    Felt during(Duration time) throws InterruptedException {
        List<Double> millis = new ArrayList<>();
        int failed = 0;
        String first = "";
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            long start = System.nanoTime();
            try (Caller client = Caller.from(NETWORK, server)) {
                client.begin("honest@here.example");
                client.send(TEXT);
                String reply = client.reply();
                if (!reply.startsWith("250")) {
                    throw new IOException("final dot answered with " + reply);
                }
                millis.add((System.nanoTime() - start) / 1e6);
            } catch (IOException refused) {
                failed++;
                first = first.isEmpty() ? refused.getMessage() : first;
            }
            Thread.sleep(PAUSE);
        }
        Collections.sort(millis);
        return new Felt(List.copyOf(millis), failed, first);
    }
}
