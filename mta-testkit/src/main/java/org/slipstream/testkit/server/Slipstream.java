package org.slipstream.testkit.server;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slipstream.testkit.Folders;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/// A mail server for the tests of a class or of a method, as a JUnit extension.
///
/// ```java
/// @RegisterExtension
/// static final Slipstream mta = Slipstream.forDomain("here.example");
/// ```
///
/// A static field gives one server to all tests of the class, an instance field one to each test.
/// The server has free ports of the loopback interface and a temporary home, which is deleted when
/// it stops. [ServerArchive] says where the program is.
public final class Slipstream
        implements
            BeforeAllCallback,
            BeforeEachCallback,
            AfterEachCallback,
            AfterAllCallback,
            AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(20);
    private final List<String> settings;
    private final Optional<Path> file;
    private Optional<Running> running = Optional.empty();
    private boolean shared;

    private record Running(Path folder, PackagedServer server) {}

    private Slipstream(List<String> settings, Optional<Path> file) {
        this.settings = List.copyOf(settings);
        this.file = file;
    }

    /// Takes mail for every address of this domain, and delivers it to Maildirs.
    public static Slipstream forDomain(String domain) {
        return new Slipstream(List.of(), Optional.empty()).with("hostname", "mail." + domain)
                .with("local.domains", domain).with("local.mailboxes", "*");
    }

    /// A server with this `mta.toml`.
    public static Slipstream withSettings(Path toml) {
        return new Slipstream(List.of(), Optional.of(toml));
    }

    /// A copy with one more setting, as `./mta run --set key=value` takes it.
    public Slipstream with(String key, String value) {
        var more = new ArrayList<>(settings);
        more.add(key + "=" + value);
        return new Slipstream(more, file);
    }

    /// Mail for this domain goes to this server instead of its MX hosts.
    public Slipstream withRoute(String domain, InetSocketAddress server) {
        return with("routes.\"" + domain + "\"",
                "smtp:" + server.getAddress().getHostAddress() + ":" + server.getPort());
    }

    /// For use without JUnit. Returns when the server accepts connections.
    public Slipstream start() {
        try {
            Path folder = Files.createTempDirectory("slipstream");
            Path home = Files.createDirectory(folder.resolve("home"));
            if (file.isPresent()) {
                Files.copy(file.get(), home.resolve("mta.toml"));
            }
            var all = new ArrayList<>(List.of("listen.smtp=127.0.0.1:0", "listen.submission=127.0.0.1:0"));
            all.addAll(settings);
            running = Optional.of(new Running(folder,
                    PackagedServer.start(ServerArchive.folder(ServerArchive.configured(), folder), home, all)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /// The port for mail from other servers.
    public InetSocketAddress smtp() {
        return get().server().smtp();
    }

    /// The port for mail from programs and users.
    public InetSocketAddress submission() {
        return get().server().submission();
    }

    /// The port of a service that the settings open: `lmtp`, `submissions`.
    public InetSocketAddress port(String service) {
        return get().server().port(service);
    }

    /// The messages that an address has received.
    public List<String> messages(String address) {
        return get().server().mail().newMail(address).stream()
                .map(message -> new String(message, StandardCharsets.ISO_8859_1)).toList();
    }

    /// Waits until an address has received this number of messages, and returns them.
    ///
    /// @throws TimeoutException when they do not arrive in time
    public List<String> awaitMessages(String address, int count, Duration timeout)
            throws TimeoutException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        List<String> messages = messages(address);
        while (messages.size() < count) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(
                        address + " received " + messages.size() + " of " + count + " messages:\n" + log());
            }
            Thread.sleep(POLL);
            messages = messages(address);
        }
        return messages;
    }

    /// The log of the server.
    public String log() {
        return get().server().log();
    }

    public Path home() {
        return get().server().home();
    }

    /// Runs a command of `./mta` for this server and returns what it prints.
    ///
    /// @param input its standard input
    /// @throws IOException when the exit code is not 0
    public String command(String input, String... arguments) throws IOException {
        ProgramRun run = get().server().command(input.getBytes(StandardCharsets.UTF_8), arguments);
        String output = run.out() + run.err();
        if (run.exit() != 0) {
            throw new IOException(String.join(" ", arguments) + " ended with " + run.exit() + ": " + output);
        }
        return output;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        shared = true;
        start();
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (!shared) {
            start();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (!shared) {
            close();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }

    /// Stops the server and deletes its home. Does nothing when the server does not run.
    @Override
    public void close() {
        running.ifPresent(server -> {
            server.server().close();
            try {
                Folders.delete(server.folder());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        running = Optional.empty();
    }

    private Running get() {
        return running.orElseThrow(() -> new IllegalStateException("the server is not started"));
    }
}
