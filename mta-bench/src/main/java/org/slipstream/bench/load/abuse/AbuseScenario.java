package org.slipstream.bench.load.abuse;

import org.slipstream.testkit.server.HostilePeers;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/// The behaviour of one kind of hostile client or user, until it is stopped or the server disconnects it;
/// then, after a pause, once more.
enum AbuseScenario {
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
                // An alert has no line ends.
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
    },
    TLS_DRIP("500 clients that drip a byte a second of a TLS record", 500, 100, AttackedServer.BY_DEFAULT,
            Honesty.STRANGER) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            client.greeted();
            client.startTls();
            // Application data of 16 KiB: the record is whole after four and a half hours.
            client.sendRaw(new byte[]{23, 3, 3, 64, 0});
            while (on.getAsBoolean()) {
                client.sendRaw(new byte[1]);
                meter.count();
                Thread.sleep(1_000);
            }
        }
    },
    HOARD("235 clients that hoard recipients as long as permitted and keep the transaction open", 235, 100,
            AttackedServer.BY_DEFAULT,
            Honesty.STRANGER) {
        @Override
        Caller call(Target target, int number) throws IOException {
            return Caller.at(10, 1 + number % 24, target.smtp());
        }

        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            client.greeted();
            client.must("250", "MAIL FROM:<a@client.example>");
            for (int i = 0; i < 1_000 && on.getAsBoolean(); i++) {
                client.send("RCPT TO:<user+" + i + "x".repeat(230) + "@here.example>\r\n");
                if (client.reply().isEmpty()) {
                    return;
                }
                meter.count();
            }
            while (on.getAsBoolean()) {
                Thread.sleep(10_000);
                client.must("250", "NOOP");
            }
        }
    },
    GUESS("60 clients that guess passwords, each time from another address", 60, 100, AttackedServer.BY_DEFAULT,
            Honesty.STRANGER) {
        @Override
        Caller call(Target target, int number) throws IOException {
            return Caller.from(network(), target.submission());
        }

        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException {
            client.greeted();
            client.startTls();
            client.must("250", "EHLO client.example");
            // user: alice, password: wrong
            client.send("AUTH PLAIN AGFsaWNlAHdyb25n\r\n");
            client.reply();
            meter.count();
        }
    },
    REFUSED("1,500 connections at once from one address, which keeps the refused ones open", 1_500, 1_000,
            AttackedServer.BY_DEFAULT,
            Honesty.STRANGER) {
        @Override
        Caller call(Target target, int number) throws IOException {
            return Caller.at(10, 1, target.smtp());
        }

        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            meter.count();
            if (client.reply().startsWith("220")) {
                hold(on);
            }
            client.awaitClose();
        }
    },
    FULL_LISTENER("1,100 silent clients at a limit of 1,000 connections; ordinary mail from a known network", 1_100,
            1_000,
            AttackedServer.BY_DEFAULT, Honesty.KNOWN) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException {
            if (client.reply().startsWith("220")) {
                meter.count();
            }
            client.awaitClose();
        }
    },
    UNREAD("1,100 clients that ask and never read; honest mail from a known network", 1_100, 1_000,
            AttackedServer.BY_DEFAULT,
            Honesty.KNOWN) {
        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            byte[] help = "HELP\r\n".repeat(50).getBytes(StandardCharsets.US_ASCII);
            while (on.getAsBoolean()) {
                client.send(help);
                meter.count();
                Thread.sleep(200);
            }
        }
    },
    TARPITS("eight messages to each of 60 servers that never greet; honest mail on its way to a healthy one",
            Tarpits.COUNT, 0, AttackedServer.BY_DEFAULT, Honesty.RELAYED) {
        @Override
        Caller call(Target target, int number) throws IOException {
            return Caller.from(Honesty.RELAYED.network, target.smtp());
        }

        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
            client.greeted();
            String domain = Tarpits.domain(next.getAndIncrement() % Tarpits.COUNT);
            for (int i = 0; i < 8; i++) {
                client.must("250", "MAIL FROM:<a@client.example>");
                client.must("250", "RCPT TO:<r@" + domain + ">");
                client.must("354", "DATA");
                client.must("250", "Subject: stuck\r\n\r\n.");
                meter.count();
            }
            hold(on);
        }
    },
    LONG_REFUSALS("4 clients with mailings to 1,000 recipients whose next hop refuses each with 20 KB; honest mail on"
            + " its way to a healthy one", 4, 100, AttackedServer.WITH_PEERS, Honesty.RELAYED) {
        @Override
        Caller call(Target target, int number) throws IOException {
            return Caller.from(Honesty.RELAYED.network, target.smtp());
        }

        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException {
            client.greeted();
            client.must("250", "MAIL FROM:<a@here.example>");
            for (int i = 0; i < 1_000; i++) {
                client.must("250", "RCPT TO:<" + HostilePeers.recipient(i) + ">");
            }
            client.must("354", "DATA");
            client.must("250", "Subject: mailing\r\n\r\n.");
            meter.count();
        }
    },
    DOVECOT("20 clients that log in at a Dovecot whose line never ends", 20, 0, AttackedServer.WITH_PEERS,
            Honesty.STRANGER) {
        @Override
        Caller call(Target target, int number) throws IOException {
            return Caller.from(network(), target.submission());
        }

        @Override
        void one(Caller client, Meter meter, BooleanSupplier on) throws IOException {
            client.greeted();
            client.startTls();
            client.must("250", "EHLO client.example");
            while (on.getAsBoolean()) {
                client.send("AUTH PLAIN AGFsaWNlAHdyb25n\r\n");
                if (client.reply().isEmpty()) {
                    return;
                }
                meter.count();
            }
        }
    },
    MAILDROP("8 users that put 2 TiB of nothing, folders and names of 255 octets into the maildrop; honest mail of a"
            + " program on its way to a healthy server", 8, 20, AttackedServer.WITH_PEERS, Honesty.LOCAL) {
        @Override
        void attack(Target target, int number, Meter meter, BooleanSupplier on) throws IOException {
            Drops.putSparse(target.home(), number);
            meter.count();
        }
    },
    GROUP_TOKENS("40 members of the group with wrong tokens for the API", 40, 0, AttackedServer.WITH_PEERS,
            Honesty.STRANGER) {
        @Override
        void attack(Target target, int number, Meter meter, BooleanSupplier on) throws IOException {
            try (SocketChannel api = SocketChannel.open(UnixDomainSocketAddress.of(
                    HostilePeers.socket(target.home())))) {
                api.write(StandardCharsets.US_ASCII.encode("GET /api/v1/status HTTP/1.1\r\nHost: x\r\n"
                        + "Authorization: Bearer wrong\r\nConnection: close\r\n\r\n"));
                while (api.read(ByteBuffer.allocate(4_096)) >= 0) {
                    // The refusal.
                }
            }
            meter.count();
        }
    },
    INCLUDE("a user whose list of members becomes 40 KB of quotes, 20,000 members and a device, in turn", 1, 2_500,
            AttackedServer.WITH_PEERS, Honesty.STRANGER) {
        @Override
        void attack(Target target, int number, Meter meter, BooleanSupplier on) throws IOException {
            Path list = HostilePeers.list(target.home());
            Path changed = list.resolveSibling("list.changed");
            switch (next.getAndIncrement() % 3) {
                case 0 -> Files.writeString(changed, "a@here.example," + "\"\"".repeat(20_000));
                case 1 -> Files.writeString(changed, "member@far.example,\n".repeat(20_000));
                default -> Files.createSymbolicLink(changed, Path.of("/dev/zero"));
            }
            Files.move(changed, list, StandardCopyOption.ATOMIC_MOVE);
            meter.count();
        }
    };

    /// The settings of the server that is attacked.
    enum AttackedServer {
        /// Enough connections for all clients of a scenario.
        LARGE,
        /// As many sessions as by default.
        BY_DEFAULT,
        /// The same, with [HostilePeers].
        WITH_PEERS
    }

    /// The way of the ordinary mail.
    enum Honesty {
        STRANGER(8, "honest@here.example", false), KNOWN(9, "honest@here.example", false), RELAYED(9,
                "honest@healthy.example", true), LOCAL(9, "honest@healthy.example", true);

        /// The third octet of the client's address.
        final int network;
        final String recipient;
        final boolean relayed;

        Honesty(int network, String recipient, boolean relayed) {
            this.network = network;
            this.recipient = recipient;
            this.relayed = relayed;
        }
    }

    /// The counts of a scenario.
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
    final AttackedServer profile;
    final Honesty honesty;
    final AtomicInteger next = new AtomicInteger();
    private final int breathMillis;

    AbuseScenario(String words, int clients, int breathMillis) {
        this(words, clients, breathMillis, AttackedServer.LARGE, Honesty.STRANGER);
    }

    AbuseScenario(String words, int clients, int breathMillis, AttackedServer profile, Honesty honesty) {
        this.words = words;
        this.clients = clients;
        this.breathMillis = breathMillis;
        this.profile = profile;
        this.honesty = honesty;
    }

    /// A client after its connection.
    void one(Caller client, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
        throw new UnsupportedOperationException(name() + " needs no connection");
    }

    void attack(Target target, int number, Meter meter, BooleanSupplier on) throws IOException, InterruptedException {
        try (Caller client = call(target, number)) {
            one(client, meter, on);
        }
    }

    Caller call(Target target, int number) throws IOException {
        return Caller.from(network(), target.smtp());
    }

    /// Hostile clients come from seven networks of 250 addresses.
    static int network() {
        return 10 + (int) (Thread.currentThread().threadId() % 7);
    }

    /// One of the clients, on its own thread.
    void run(Target target, int number, Meter meter, Meter refusals, BooleanSupplier on) {
        while (on.getAsBoolean()) {
            try {
                attack(target, number, meter, on);
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

    /// Together a full gigabit line: on loopback, faster clients measure only the processor time
    /// that they take from the server.
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
