package org.slipstream.world;

import org.slipstream.world.WorldLedger.Submission;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The clients of a world, which hand mail in and remember what they were promised.
final class WorldClients {
    private static final long SECOND = 1_000_000_000L;
    private static final int CLIENTS = 3;
    private static final InetSocketAddress SMTP = new InetSocketAddress(InetAddress.getLoopbackAddress(), 25);
    private static final Pattern QUEUED = Pattern.compile("queued as (\\S+)");

    private final MailWorld world;
    private final WorldPlan plan;
    private final WorldLedger ledger;
    private int tokens;
    private int left = CLIENTS;
    private String lastLine = "";

    WorldClients(MailWorld world, WorldPlan plan, WorldLedger ledger) {
        this.world = world;
        this.plan = plan;
        this.ledger = ledger;
    }

    void start(WorldScheduler.Process outside, Random script) {
        for (int i = 0; i < CLIENTS; i++) {
            int share = plan.messages() / CLIENTS + (i < plan.messages() % CLIENTS ? 1 : 0);
            long seed = script.nextLong();
            outside.start("client-" + i, () -> client(new Random(seed), share));
        }
    }

    boolean haveEnded() {
        return left == 0;
    }

    private void client(Random random, int messages) {
        for (int i = 0; i < messages; i++) {
            List<String> recipients;
            if (plan.shape().crowd() > 0) {
                if (i % plan.shape().crowd() == 0) {
                    awaitCrowd();
                }
                recipients = recipients(random, (int) ((plan.seed() + i / plan.shape().crowd()) % MailWorld.DOMAINS));
            } else {
                // Some come one behind the other.
                if (random.nextInt(3) > 0) {
                    LockSupport.parkNanos((long) (random.nextDouble() * 3 * plan.minutes() * 60
                            / Math.max(1, messages) * SECOND));
                }
                recipients = recipients(random, -1);
            }
            String body = "x".repeat(random.nextInt(60)) + "\r\n";
            String text = body.repeat(1 + (random.nextInt(5) == 0 ? random.nextInt(3_000) : random.nextInt(30)));
            for (int attempt = 0; attempt < 20 && !submit(recipients, text); attempt++) {
                LockSupport.parkNanos(30 * SECOND);
            }
        }
        left--;
    }

    /// All clients come at the same moments.
    private void awaitCrowd() {
        int crowds = 1 + plan.messages() / CLIENTS / plan.shape().crowd();
        long pause = plan.minutes() * 60L * SECOND / crowds;
        LockSupport.parkNanos(pause - world.scheduler().now() % pause);
    }

    /// @param domain of all; -1: any
    private static List<String> recipients(Random random, int domain) {
        List<String> all = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        while (all.size() < count) {
            int kind = random.nextInt(10);
            String recipient = kind < 2 && domain < 0
                    ? "u" + random.nextInt(5) + "@here.example"
                    : (kind == 2 ? "nobody" : "u") + random.nextInt(9) + "@d"
                            + (domain < 0 ? random.nextInt(MailWorld.DOMAINS) : domain) + ".example";
            if (!all.contains(recipient)) {
                all.add(recipient);
            }
        }
        return all;
    }

    private boolean submit(List<String> recipients, String text) {
        int number = ++tokens;
        Submission submission = new Submission(recipients);
        ledger.submissions.put(number, submission);
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(300_000);
            socket.connect(SMTP, 10_000);
            BufferedReader in = new BufferedReader(
                    new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            boolean good = ask(socket, in, "", 220) && ask(socket, in, "EHLO client.example", 250)
                    && ask(socket, in, "MAIL FROM:<sender@here.example>", 250);
            for (String each : recipients) {
                good = good && ask(socket, in, "RCPT TO:<" + each + ">", 250);
            }
            good = good && ask(socket, in, "DATA", 354);
            if (good && !ask(socket, in, "X-World: " + number + "\r\nSubject: message " + number + "\r\n\r\n" + text
                    + ".", 250)) {
                submission.refusedNanos = world.scheduler().now();
                good = false;
            }
            if (good) {
                submission.acknowledged = true;
                Matcher queued = QUEUED.matcher(lastLine);
                String id = queued.find() ? queued.group(1) : "?";
                ledger.queued.put(id, number);
                world.tell("acknowledged " + number + " as " + id + " for " + recipients);
                ask(socket, in, "QUIT", 221);
            }
            return good;
        } catch (IOException failed) {
            world.tell("client: " + number + " " + failed.getMessage());
            return submission.acknowledged;
        }
    }

    private boolean ask(Socket socket, BufferedReader in, String command, int code) throws IOException {
        if (!command.isEmpty()) {
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
        }
        String line;
        do {
            line = in.readLine();
            if (line == null) {
                throw new IOException("the server closed the connection");
            }
        } while (line.length() > 3 && line.charAt(3) == '-');
        lastLine = line;
        if (!line.startsWith(String.valueOf(code))) {
            world.tell("client: " + line);
        }
        return line.startsWith(String.valueOf(code));
    }
}
