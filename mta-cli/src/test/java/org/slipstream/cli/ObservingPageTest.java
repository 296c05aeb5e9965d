package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/observing.md` has output of the commands between marks. After an intended change:
/// `-Dslipstream.golden=write`.
class ObservingPageTest {
    private static final Path PAGE = Path.of("../docs/observing.md");

    @TempDir
    Path home;

    @Test
    void thePageHasTheOutputOfTheCommands() throws IOException {
        FakeQueue queue = new FakeQueue();
        queue.activity.add(TopCommandTest.activity(0, 10_800, 21_600, List.of()));
        queue.shape = List.of(
                row("down.example", "dead until 2026-11-22T03:04:00Z: 450 4.4.1 Connection refused",
                        List.of(0L, 1L, 2L, 3L, 40L, 5L, 0L, 0L, 0L, 0L)),
                row("bulk.example", "", List.of(180L, 20L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L)),
                row("typo.example", "", List.of(0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 2L)));
        String page = Files.readString(PAGE);
        String current = page;
        try (AdminServer server = AdminServer.bind(AdminSocket.in(home))) {
            server.serve(queue, new FakeHosts(), new FakeSuspensions(), _ -> Optional.empty());
            current = with(current, "top", "mta top --once", new Console(home).run("top", "--once").out());
            queue.activity.add(ShardCommandsTest.activity());
            current = with(current, "shards", "mta top --once", new Console(home).run("top", "--once").out());
            current = with(current, "shape", "mta queue shape", new Console(home).run("queue", "shape").out());
        }
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(PAGE, current);
        } else {
            assertThat(page).isEqualTo(current);
        }
    }

    private static ShapeRow row(String name, String state, List<Long> ages) {
        return new ShapeRow(name, ages, 0, state, "", "");
    }

    private static String with(String page, String name, String command, String output) {
        String begin = "<!-- " + name + ": written by ObservingPageTest -->\n";
        int from = page.indexOf(begin) + begin.length();
        return page.substring(0, from) + "\n```text\n$ " + command + "\n" + output + "```\n\n"
                + page.substring(page.indexOf("<!-- end of " + name + " -->"));
    }
}
