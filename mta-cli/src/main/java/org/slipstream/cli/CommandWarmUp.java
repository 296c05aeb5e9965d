package org.slipstream.cli;

import org.slipstream.admin.AdminSocket;
import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.Exit;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// `warm-up --commands`: runs the operator's commands once each, against constant answers.
///
/// The JVM records the classes that the commands need, and no others, because each class in its
/// cache costs a little of every start. So no server runs here, only a socket that serves one
/// message, one host and one status.
final class CommandWarmUp {
    private static final String ID = "1p4q0c8k2v0";
    private static final String MOMENT = "2026-01-31T18:00:00Z";
    private static final String MESSAGE = "{\"id\":\"" + ID + "\",\"sender\":\"a@b.example\",\"sizeBytes\":2048,"
            + "\"state\":\"deferred\",\"created\":\"" + MOMENT + "\",\"nextAttempt\":\"" + MOMENT
            + "\",\"attempts\":2,\"why\":\"450 4.4.1 busy\",\"recipients\":[{\"address\":\"c@d.example\",\"state\":\"open\"}]}";
    private static final String PAGE = "{\"messages\":[" + MESSAGE + "],\"next\":null,\"total\":1}";
    private static final String HOSTS = "{\"done\":\"done\",\"hosts\":[{\"host\":\"[192.0.2.1]:25/may\",\"name\":\"mx.d.example\","
            + "\"states\":[{\"state\":\"retry\",\"reason\":\"Connection refused\",\"since\":\"" + MOMENT
            + "\",\"until\":\"" + MOMENT + "\",\"failures\":2}],\"connections\":[{\"number\":1,\"state\":\"idle\","
            + "\"opened\":\"" + MOMENT + "\",\"destinations\":[\"d.example\"]}]}]}";
    private static final String STATUS = "{\"version\":\"1\",\"hostname\":\"b.example\",\"started\":\"" + MOMENT
            + "\",\"messages\":1,\"held\":0,\"corrupt\":0,\"active\":1,\"destinations\":[{\"transport\":\"smtp\","
            + "\"nextHop\":\"d.example\",\"waiting\":1}],\"trouble\":[{\"what\":\"space\",\"since\":\"" + MOMENT
            + "\"}]}";

    private static final List<List<String>> COMMANDS = List.of(List.of("status"), List.of("status", "--json"),
            List.of("queue", "list"), List.of("queue", "list", "--json"), List.of("queue", "show", ID),
            List.of("queue", "count", "--domain", "d.example"), List.of("queue", "hold", ID),
            List.of("queue", "release", "--older-than", "1h"), List.of("queue", "flush"),
            List.of("queue", "delete", ID), List.of("destdb", "list"), List.of("destdb", "show", "mx.d.example"),
            List.of("destdb", "suspend", "mx.d.example", "--reason", "full", "--for", "2h"),
            List.of("destdb", "resume", "mx.d.example"), List.of("destdb", "forget", "mx.d.example"),
            List.of("suspend", "list"));

    private CommandWarmUp() {}

    /// @param home a folder for the socket
    /// @return the first exit code that is not 0, or 0
    static int play(CliContext world, Path home) throws IOException {
        Path socket = Files.createDirectories(AdminSocket.in(home).getParent())
                .resolve(AdminSocket.in(home).getFileName());
        CliContext silent = new CliContext(new ByteArrayInputStream(new byte[0]), nowhere(), nowhere(), world.starter(),
                world.stopped(), world.stopSignal());
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(socket));
            Thread.ofPlatform().daemon().start(() -> answer(listener));
            for (List<String> command : COMMANDS) {
                List<String> line = new ArrayList<>(List.of("--home", home.toString()));
                line.addAll(command);
                int exit = Cli.execute(silent, line.toArray(String[]::new));
                if (exit != Exit.DONE) {
                    world.err().println("mta: " + String.join(" ", command) + " ended with " + exit);
                    return exit;
                }
            }
        }
        return Exit.DONE;
    }

    private static void answer(ServerSocketChannel listener) {
        try {
            while (true) {
                try (SocketChannel client = listener.accept()) {
                    serve(client);
                }
            }
        } catch (IOException over) {
            // The last command has ended.
        }
    }

    private static void serve(SocketChannel client) throws IOException {
        BufferedReader in = new BufferedReader(Channels.newReader(client, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.contains(" HTTP/1.1")) {
                byte[] body = body(line.split(" ")[1]).getBytes(StandardCharsets.US_ASCII);
                String head = "HTTP/1.1 200 \r\nContent-Length: " + body.length + "\r\n\r\n";
                OutputStream out = Channels.newOutputStream(client);
                out.write(head.getBytes(StandardCharsets.US_ASCII));
                out.write(body);
            }
        }
    }

    private static String body(String path) {
        String resource = path.substring("/api/v1/".length());
        if (resource.startsWith("status")) {
            return STATUS;
        } else if (resource.startsWith("destdb")) {
            return HOSTS;
        } else if (resource.startsWith("queue?")) {
            return PAGE;
        }
        return resource.startsWith("queue/" + ID) ? MESSAGE : "{\"done\":\"flush\",\"count\":1}";
    }

    private static PrintStream nowhere() {
        return new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    }
}
