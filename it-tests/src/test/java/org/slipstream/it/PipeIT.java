package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Mail for a program, in the packaged program.
class PipeIT {
    @RegisterExtension
    final Workbench bench = new Workbench();

    @TempDir
    Path folder;

    @Test
    void aProgramGetsItsMailAndDecidesAboutIt() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path program = Files.writeString(folder.resolve("program"), "#!/bin/sh\n"
                + "[ \"$2\" = full ] && exit 75\ncat > \"" + folder + "/$2\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        String user = System.getProperty("user.name").equals("root")
                ? "nobody:nogroup"
                : System.getProperty("user.name");
        var server = bench.server(Settings.quick().set("transport.lists.kind", "pipe")
                .set("transport.lists.command", program + ", ${sender}, ${user}").set("transport.lists.user", user)
                .set("routes.\"lists.example\"", "lists"));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("one", "eve@here.example", "ann@lists.example")).code())
                    .isEqualTo(250);
            assertThat(talk.send(OutgoingMessage.of("two", "eve@here.example", "full@lists.example")).code())
                    .isEqualTo(250);
        }
        eventually().until(() -> Files.exists(folder.resolve("ann")) && Queue.of(server).size() == 1);
        assertThat(Files.readString(folder.resolve("ann"))).startsWith("Return-Path: <eve@here.example>\n")
                .contains("Subject: one\n");
        eventually().until(() -> server.command("queue", "list").out().contains("the program ended with 75"));
    }
}
