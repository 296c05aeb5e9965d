package org.slipstream.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/// Dovecot's authentication service as a script: a greeting, and a function from each line to the
/// reply. An empty reply is none; `close` ends the connection. Dovecot itself is in DovecotIT.
public final class StubDovecot implements AutoCloseable {
    public static final String GREETING = "VERSION\t1\t2\nMECH\tLOGIN\tplaintext\nMECH\tPLAIN\tplaintext\nMECH\tSCRAM-SHA-1\t"
            + "mutual-auth\nMECH\tSCRAM-SHA-256\tmutual-auth\nMECH\tOAUTHBEARER\nMECH\tEXTERNAL\nMECH\tANONYMOUS\t"
            + "anonymous\nMECH\tDOVECOT-TOKEN\tprivate\nSPID\t7\nCUID\t1\nCOOKIE\tabc\nDONE\n";
    public static final String MASTER = "VERSION\t1\t1\nSPID\t7\n";

    private final Path path;
    private final ServerSocketChannel server;
    private final List<SocketChannel> clients = new CopyOnWriteArrayList<>();
    public final List<String> lines = new CopyOnWriteArrayList<>();
    private final String greeting;
    private volatile Function<String, String> script;

    private StubDovecot(Path path, String greeting, Function<String, String> script) {
        this.path = path;
        this.greeting = greeting;
        this.script = script;
        try {
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().start(this::accept);
    }

    public static StubDovecot start(Path path, String greeting, Function<String, String> script) {
        return new StubDovecot(path, greeting, script);
    }

    public String endpoint() {
        return "unix:" + path;
    }

    public int connections() {
        return clients.size();
    }

    public void answers(Function<String, String> other) {
        script = other;
    }

    /// Ends all connections, as a restart of the process does.
    public void dropClients() {
        for (SocketChannel client : clients) {
            try {
                client.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel client = server.accept();
                clients.add(client);
                Thread.ofPlatform().daemon().start(() -> serve(client));
            }
        } catch (IOException closed) {
            // The end of the test.
        }
    }

    private void serve(SocketChannel client) {
        try (client) {
            write(client, greeting);
            BufferedReader in = new BufferedReader(
                    new InputStreamReader(Channels.newInputStream(client), StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
                String reply = script.apply(line);
                if (reply.equals("close")) {
                    return;
                }
                write(client, reply.isEmpty() ? "" : reply + "\n");
            }
        } catch (IOException gone) {
            // The client is gone.
        }
    }

    private static void write(SocketChannel client, String text) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
        while (bytes.hasRemaining()) {
            client.write(bytes);
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            dropClients();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
