package org.slipstream.it;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.DiskTrouble;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.RequiresRoot;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.TinyDisk;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// An alarm reaches a person although mail cannot move: the disk of the spool is full, or a write to it
/// does not return. So does the end of the trouble.
///
/// The two servers have their troubles at the same time, because an end is told after two minutes.
@RequiresRoot
@RequiresPrograms("strace")
class AlarmIT {
    /// A trouble is told when it has lasted for 20 seconds; the list is read each ten seconds. The rest is
    /// for a busy machine.
    private static final Duration TOLD_WITHIN = Duration.ofSeconds(60);
    /// The end is told after two minutes.
    private static final Duration END_TOLD_WITHIN = Duration.ofSeconds(200);

    private static final int CLIENTS = 4;

    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void aFullDiskAndAWriteThatHangsAreToldAndSoIsTheirEnd() throws Exception {
        List<JsonNode> posted = new CopyOnWriteArrayList<>();
        List<Thread> clients = new ArrayList<>();
        HttpServer web = web(posted);
        try {
            TinyDisk small = bench.keep(TinyDisk.mount(bench.folder(), "size=64m"));
            PackagedServer full = bench.server(Settings.quick().set("spool.directory", small.folder().toString())
                    .set("spool.minimum-free", "1")
                    .set("alarm.webhook", "http://127.0.0.1:" + web.getAddress().getPort() + "/hook"));
            Path told = bench.folder();
            PackagedServer hung = bench.server(Settings.quick().set("queue.deliver", "false")
                    .set("alarm.command", command(told).toString()));

            small.fillUpTo(0);
            assertThat(put(full, "full").toString()).startsWith("452 4.3.1");
            try (DiskTrouble _ = bench.keep(DiskTrouble.syncsTake(Duration.ofMinutes(5), hung))) {
                for (int i = 0; i < CLIENTS; i++) {
                    String name = "hung" + i;
                    clients.add(Thread.startVirtualThread(() -> tryToPut(hung, name)));
                }
                eventually().untilAsserted(() -> assertThat(Queue.of(hung).status().path("trouble").toString())
                        .contains("stall"));
                eventually().atMost(TOLD_WITHIN).untilAsserted(() -> {
                    assertThat(posted).anySatisfy(each -> isTold(each, "raised", "space"));
                    assertThat(toldTo(told)).anySatisfy(each -> isTold(each, "raised", "stall"));
                });
            }
            small.free();
            eventually().untilAsserted(() -> assertThat(put(full, "after").code()).isEqualTo(250));

            eventually().atMost(END_TOLD_WITHIN).untilAsserted(() -> {
                assertThat(posted).anySatisfy(each -> isTold(each, "recovered", "space"));
                assertThat(toldTo(told)).anySatisfy(each -> isTold(each, "recovered", "stall"));
            });
            assertThat(posted).filteredOn(each -> each.path("state").asString().equals("raised")
                    && each.path("what").asString().equals("space")).as("told once").hasSize(1);
            for (Thread client : clients) {
                client.join();
            }
        } finally {
            web.stop(0);
        }
    }

    /// A client of a disk that hangs gets 451, or no reply before it gives up.
    private static void tryToPut(PackagedServer server, String name) {
        try {
            put(server, name);
        } catch (UncheckedIOException gaveUp) {
            // The message is not the subject here.
        }
    }

    private static void isTold(JsonNode notice, String state, String what) {
        assertThat(notice.path("state").asString()).isEqualTo(state);
        assertThat(notice.path("what").asString()).isEqualTo(what);
        assertThat(notice.path("hostname").asString()).isEqualTo("mail.here.example");
        assertThat(Instant.parse(notice.path("at").asString())).isBeforeOrEqualTo(Instant.now());
    }

    private static HttpServer web(List<JsonNode> posted) throws IOException {
        HttpServer web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.createContext("/hook", exchange -> {
            try (exchange) {
                posted.add(JsonMapper.shared().readTree(exchange.getRequestBody().readAllBytes()));
                exchange.sendResponseHeaders(204, -1);
            }
        });
        web.start();
        return web;
    }

    /// A program that keeps each notice as a file.
    private static Path command(Path folder) throws IOException {
        Path command = folder.resolve("page-me");
        Files.writeString(command, "#!/bin/sh\nfile=$(mktemp '" + folder + "/part.XXXXXX')\ncat >\"$file\"\n"
                + "mv \"$file\" \"$file.json\"\n");
        return Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static List<JsonNode> toldTo(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each -> each.toString().endsWith(".json"))
                    .map(each -> JsonMapper.shared().readTree(each.toFile())).toList();
        }
    }

    private static SmtpReply put(PackagedServer server, String name) {
        try (SmtpTalker talk = SmtpTalker.introducedTo(server.smtp())) {
            return talk.send(new OutgoingMessage("alice@here.example", List.of("friend@here.example"),
                    ("Message-ID: <" + name + "@x>\r\n\r\n" + "x".repeat(900) + "\r\n")
                            .getBytes(StandardCharsets.US_ASCII)));
        }
    }
}
