package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.MailAccount;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Faults of the machine below the server: the wall clock is set, descriptors and memory run out.
@RequiresPrograms({"faketime", "prlimit"})
class MachineFaultsIT {
    private static final int MESSAGES = 10;
    private static final int LARGE = 4 * 1024 * 1024;
    @RegisterExtension
    final Workbench bench = new Workbench();

    /// Mail that waits, new mail and reports live through an hour and a day forward and back.
    @Test
    void theClockIsSetByAnHourAndADay() throws IOException {
        var far = bench.smtpSink();
        var clock = bench.folder().resolve("clock");
        step(clock, "+0");
        var server = bench.keep(PackagedServer.start(withClock(clock), bench.home(),
                Settings.quick().route(Settings.FAR_DOMAIN, far).pairs()));
        var account = MailAccount.of("clock", far);
        for (var offset : List.of("+3600", "+0", "+86400", "+0")) {
            far.stop();
            account.send(server, Settings.FAR_DOMAIN);
            account.balances(server, 0);
            step(clock, offset);
            far.startAgain();
            account.send(server, Settings.FAR_DOMAIN);
            account.send(server, Settings.LOCAL_DOMAIN);
            account.balances(server, 0);
        }
        step(clock, "+90000");
        account.ends(server, 0);
        assertThat(server.command("status").mustSucceed().out()).isNotEmpty();
    }

    /// The program in a folder of its own, where the launcher sets the clock of the real one.
    private Path withClock(Path clock) throws IOException {
        var folder = bench.folder();
        Files.writeString(folder.resolve("mta"), """
                #!/bin/sh
                lib=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1)
                export LD_PRELOAD="$lib" FAKETIME_TIMESTAMP_FILE=%s FAKETIME_NO_CACHE=1
                export FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_RESET=1
                exec %s "$@"
                """.formatted(clock, Program.folder().resolve("mta")));
        Files.setPosixFilePermissions(folder.resolve("mta"), PosixFilePermissions.fromString("rwxr-xr-x"));
        return folder;
    }

    private static void step(Path clock, String offset) {
        try {
            var next = clock.resolveSibling("clock.next");
            Files.writeString(next, offset + "\n");
            Files.move(next, clock, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The limit falls below what the server uses: clients and peers get no connection, and nothing
    /// that was acknowledged is lost.
    @Test
    void descriptorsRunOut() throws IOException {
        var far = bench.smtpSink();
        var server = bench.server(Settings.quick().route(Settings.FAR_DOMAIN, far));
        var account = MailAccount.of("descriptors", far);
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            account.offer(talk, account.message(Settings.FAR_DOMAIN, 1, 1));
            eventually().until(() -> far.messages().size() == 1);
            limit(server, server.openFiles());
            for (int i = 0; i < MESSAGES; i++) {
                account.offer(talk, account.message(Settings.FAR_DOMAIN, 1, LARGE));
                account.offer(talk, account.message(Settings.LOCAL_DOMAIN, 1, 1));
            }
        } finally {
            limit(server, 4_096);
        }
        account.send(server, Settings.FAR_DOMAIN);
        account.settles(server, 0);
        assertThat(account.acknowledged()).isGreaterThan(1);
    }

    private static void limit(PackagedServer server, long files) {
        ProgramRun.of("prlimit", "--pid", String.valueOf(server.pid()), "--nofile=" + files + ":4096").mustSucceed();
    }

    /// The heap is too small for the load: the process ends at once, and a start with more memory
    /// finds all that was acknowledged.
    @Test
    void theHeapRunsOut() {
        var far = bench.smtpSink();
        var home = bench.home();
        var settings = Settings.quick().route(Settings.FAR_DOMAIN, far).set("queue.deliver", "false");
        var account = MailAccount.of("heap", far);
        try (var small = PackagedServer.start(Program.folder(), home, settings.pairs(), "-Xmx20m")) {
            List<SmtpTalker> open = new ArrayList<>();
            try {
                for (int i = 0; i < 2_000 && small.isAlive(); i++) {
                    var talk = SmtpTalker.introducedTo(small.smtp());
                    open.add(talk);
                    account.offer(talk, account.message(Settings.FAR_DOMAIN, 100, 100_000));
                }
            } catch (UncheckedIOException ended) {
                // The server is gone.
            } finally {
                open.forEach(SmtpTalker::close);
            }
            eventually().until(() -> !small.isAlive());
        }
        var server = bench.server(home, settings.set("queue.deliver", "true"));
        account.settles(server, 0);
    }
}
