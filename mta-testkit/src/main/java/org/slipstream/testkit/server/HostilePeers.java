package org.slipstream.testkit.server;

import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Programs and files that the settings of a server name, and that do it harm: a next hop that
/// refuses recipients at length, a Dovecot whose line never ends, and a list of members that its
/// owner may change.
public final class HostilePeers implements AutoCloseable {
    private static final String DOMAIN = "refusing.example";
    /// 64 KiB, which is no line of Dovecot.
    private static final byte[] PART_OF_A_LINE = "x".repeat(1 << 16).getBytes(StandardCharsets.US_ASCII);

    private final SmtpSink refusing = SmtpSink.start(longRefusals().countsOnly());
    private final ServerSocket dovecot;

    public HostilePeers() throws IOException {
        dovecot = new ServerSocket(0, 100, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofPlatform().daemon().name("dovecot").start(this::accept);
    }

    /// A next hop that refuses each recipient with 20 KB in 40 lines. Each text is another one.
    public static SinkScript longRefusals() {
        return SinkScript.smtp().onRecipients(address -> {
            String text = " 5.7.1 " + address + " " + "x".repeat(490 - address.length());
            return Optional.of(SinkAction.reply(("550-" + text.strip() + "\r\n").repeat(39) + "550" + text));
        });
    }

    public static String recipient(int number) {
        return "r" + number + "@" + DOMAIN;
    }

    /// A list that [#settings] names, in the possession of a user.
    public static Path list(Path home) {
        return home.resolve("list");
    }

    /// The socket for which the group needs tokens.
    public static Path socket(Path home) {
        return home.resolve("group.sock");
    }

    /// Writes the files, and names them with the programs as settings of the server.
    public List<String> settings(Path home) throws IOException {
        Path aliases = home.resolve("aliases");
        Files.writeString(list(home), "a@here.example\n");
        Files.writeString(aliases, "list: :include:" + list(home) + "\n");
        return List.of("routes.\"" + DOMAIN + "\"=smtp:127.0.0.1:" + refusing.port(),
                "submission.auth=dovecot:127.0.0.1:" + dovecot.getLocalPort(), "local.alias-files=" + aliases,
                "admin.group-socket=" + socket(home));
    }

    private void accept() {
        try {
            while (true) {
                Socket server = dovecot.accept();
                Thread.ofVirtual().start(() -> lineWithoutEnd(server));
            }
        } catch (IOException closed) {
            // The end.
        }
    }

    private static void lineWithoutEnd(Socket server) {
        try (server; OutputStream out = server.getOutputStream()) {
            while (true) {
                out.write(PART_OF_A_LINE);
            }
        } catch (IOException hungUp) {
            // The right answer.
        }
    }

    @Override
    public void close() throws IOException {
        refusing.close();
        dovecot.close();
    }
}
