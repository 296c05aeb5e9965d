package org.slipstream.bench.abuse;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/// What one kind of bad client does, until it is told to stop or the server has had enough of it; then, after a breath, once more.
enum Scenario {
    DRIP("1,000 clients that drip a byte a second", 1_000, 0) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            client.reply();
            for (int i = 0; on.getAsBoolean(); i++) {
                client.send(i % 20 == 19 ? "\r\n" : "N");
                Thread.sleep(1_000);
            }
        }
    },
    IDLE("5,000 connections that say EHLO and no more", 5_000, 0) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            client.greeted();
            hold(on);
        }
    },
    CHURN("connections opened and dropped at once, 16 at a time", 16, 0) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) {
            meter.count();
        }
    },
    ENDLESS_LINE("20 clients with a command line that never ends", 20, 100) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            client.reply();
            pour(client, meter, on, "x".repeat(8_192));
        }
    },
    ENDLESS_HEADER("20 clients with a header that never ends", 20, 100) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            client.begin("endless@here.example");
            pour(client, meter, on, "X-Endless: ".concat("y".repeat(60)).concat("\r\n").repeat(100));
        }
    },
    ENDLESS_RCPT("20 clients with recipients that never end", 20, 100) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException {
            client.greeted();
            client.must("250", "MAIL FROM:<a@client.example>");
            for (int i = 0; on.getAsBoolean(); i++) {
                client.send("RCPT TO:<r" + i + "@here.example>\r\n");
                if (client.reply().isEmpty()) {
                    return;
                }
                meter.count();
            }
        }
    },
    GIBIBYTE("4 clients with a message of 1 GiB against 25 MiB", 4, 100) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            client.begin("endless@here.example");
            client.send("Subject: large\r\n\r\n");
            String block = "z".repeat(76).concat("\r\n").repeat(200);
            pour(client, meter, () -> on.getAsBoolean() && meter.sum() < 1L << 32, block);
        }
    },
    TLS_NOISE("50 clients with noise instead of a TLS handshake", 50, 100) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException {
            client.greeted();
            client.must("220", "STARTTLS");
            byte[] noise = new byte[4_096];
            new Random(7).nextBytes(noise);
            noise[0] = 22;
            client.send(noise);
            while (!client.reply().isEmpty() && on.getAsBoolean()) {
                // An alert has no line ends to speak of.
            }
            meter.count();
        }
    },
    TLS_STALL("500 clients that begin a TLS handshake and fall silent", 500, 100) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            client.greeted();
            client.must("220", "STARTTLS");
            client.send(new byte[]{22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3});
            hold(on);
        }
    },
    HALF_OPEN("500 clients that close their half and read nothing, or ask and never read", 500, 100) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            if (System.identityHashCode(client) % 2 == 0) {
                client.endOutput();
            } else {
                client.greeted();
                client.send("HELP\r\n".repeat(50));
            }
            hold(on);
        }
    };

    /// How much a scenario did.
    static final class Meter {
        private final AtomicLong done = new AtomicLong();

        void count() {
            done.incrementAndGet();
        }

        void count(long some) {
            done.addAndGet(some);
        }

        long sum() {
            return done.get();
        }
    }

    private static final long LINE_BYTES_PER_SECOND = 120_000_000;

    final String words;
    final int clients;
    private final int breathMillis;

    Scenario(String words, int clients, int breathMillis) {
        this.words = words;
        this.clients = clients;
        this.breathMillis = breathMillis;
    }

    abstract void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException;

    /// One of the clients, on its own thread.
    void run(InetSocketAddress server, Meter meter, Meter refusals, BooleanSupplier on) {
        while (on.getAsBoolean()) {
            // Bad clients come from seven networks of 250 addresses.
            try (Caller client = Caller.from(10 + (int) (Thread.currentThread().threadId() % 7), server)) {
                one(client, meter, on);
            } catch (IOException hungUp) {
                refusals.count();
            } catch (InterruptedException stop) {
                return;
            }
            if (!breathe()) {
                return;
            }
        }
    }

    private boolean breathe() {
        try {
            Thread.sleep(breathMillis);
            return true;
        } catch (InterruptedException stop) {
            return false;
        }
    }

    /// All together a full gigabit line: on loopback, faster ones measure how fast the client burns the processors they share.
    void pour(Caller client, Meter meter, BooleanSupplier on, String block)
            throws IOException, InterruptedException {
        byte[] octets = block.getBytes(StandardCharsets.US_ASCII);
        long start = System.nanoTime();
        for (long sent = 0; on.getAsBoolean(); sent += octets.length) {
            client.send(octets);
            meter.count(octets.length);
            long early = sent * clients * 1_000 / LINE_BYTES_PER_SECOND - (System.nanoTime() - start) / 1_000_000;
            if (early > 0) {
                Thread.sleep(early);
            }
        }
    }

    private static void hold(BooleanSupplier on) throws InterruptedException {
        while (on.getAsBoolean()) {
            Thread.sleep(200);
        }
    }
}
