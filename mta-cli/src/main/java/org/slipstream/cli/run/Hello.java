package org.slipstream.cli.run;

import org.slipstream.config.Config;
import org.slipstream.core.Address;
import org.slipstream.core.text.Controls;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// `run --hello`: sends one message to the postmaster through the started server, so that a
/// first-time user sees mail flow before reading anything.
///
/// The message takes the whole way: over the port, through the spool and the queue manager, into
/// the mailbox. It runs on a thread of its own and only prints; the server does not depend on it.
final class Hello {
    private static final long TIMEOUT_MILLIS = 30_000;
    private static final long LOOK_MILLIS = 50;

    private final Config config;
    private final PrintStream out;
    private final PrintStream err;

    Hello(Config config, PrintStream out, PrintStream err) {
        this.config = config;
        this.out = out;
        this.err = err;
    }

    /// @param port of the SMTP listener
    void greet(InetSocketAddress port) {
        Thread.ofPlatform().daemon().name("hello").start(() -> {
            try {
                send(port);
            } catch (IOException trouble) {
                err.println("mta: the hello message was not sent: " + trouble.getMessage());
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void send(InetSocketAddress port) throws IOException, InterruptedException {
        Address postmaster = new Address("postmaster", config.local().domains().getFirst());
        long before = files().size();
        byte[] message = Composer.compose(postmaster, List.of(postmaster), "Hello from Slipstream",
                "This message arrived by SMTP, was synced to the spool, and was delivered by the queue manager.\n",
                config.hostname());
        InetAddress host = port.getAddress().isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : port.getAddress();
        SubmissionClient.SubmissionResult result;
        try {
            result = new SubmissionClient(host.getHostAddress(), port.getPort(), config.hostname())
                    .send(Optional.of(postmaster.toString()), List.of(postmaster.toString()), message);
        } catch (SubmissionClient.Unreachable unreachable) {
            throw new IOException(unreachable.getMessage(), unreachable);
        }
        out.println("hello: to <" + postmaster + ">: " + result.accepted().map(Controls::replaced).orElse("refused"));
        out.println("hello: " + arrived(before).map(file -> "delivered to " + file)
                .orElse("it is in the queue; mta queue list shows why"));
        out.flush();
    }

    private Optional<Path> arrived(long before) throws IOException, InterruptedException {
        for (long waited = 0; waited < TIMEOUT_MILLIS; waited += LOOK_MILLIS) {
            List<Path> now = files();
            if (now.size() > before) {
                return Optional.of(now.getLast());
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return Optional.empty();
    }

    /// Unread messages of the mailboxes, oldest name first: Maildir names begin with the time.
    private List<Path> files() throws IOException {
        Path maildir = config.local().maildir();
        if (!Files.isDirectory(maildir)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(maildir)) {
            return all.filter(Hello::isUnread).sorted((a, b) -> a.getFileName().compareTo(b.getFileName())).toList();
        } catch (UncheckedIOException vanished) {
            return List.of();
        }
    }

    private static boolean isUnread(Path file) {
        Path folder = file.getParent();
        return folder != null && folder.endsWith("new") && Files.isRegularFile(file);
    }
}
