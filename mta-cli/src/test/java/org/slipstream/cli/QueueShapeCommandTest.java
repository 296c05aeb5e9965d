package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.cli.frame.Exit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// `queue shape` with a running server.
class QueueShapeCommandTest {
    @TempDir
    Path home;

    private static ShapeRow row(String name, String state, long held, Long... ages) {
        return new ShapeRow(name, List.of(ages), held, state, "", "");
    }

    @Test
    void theTableHasTheColumnsOfQshapeAndTheSumFirst() throws IOException {
        FakeQueue queue = new FakeQueue();
        queue.shape = List.of(
                row("down.example", "dead until 2026-11-22T03:04:00Z: 450 4.4.1 Connection refused", 0, 0L,
                        1L, 2L, 3L, 40L, 5L, 0L, 0L, 0L, 0L),
                row("far.example", "", 1, 2L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 1L),
                row("small.example", "", 0, 1L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
        try (AdminServer server = AdminServer.bind(AdminSocket.in(home))) {
            server.serve(queue, new FakeHosts(), new FakeSuspensions(), _ -> Optional.empty());
            assertThat(new Console(home).run("queue", "shape", "--rows", "2").out()).isEqualTo("""
                    DESTINATION    T 5 10 20 40 80 160 320 640 1280 1280+ HELD  STATE
                    TOTAL         55 3  1  2  3 40   5   0   0    0     1    1
                    down.example  51 0  1  2  3 40   5   0   0    0     0    0  dead until 2026-11-22T03:04:00Z: 450 4.4.1 Connection refused
                    far.example    3 2  0  0  0  0   0   0   0    0     1    1
                    1 more; --rows 0 shows all
                    """);
            assertThat(new Console(home).run("queue", "shape", "--json").out()).contains("\"name\":\"down.example\"");
            assertThat(new Console(home).run("queue", "shape", "--by", "colour").exit()).isEqualTo(Exit.USAGE);
            queue.shape = List.of();
            assertThat(new Console(home).run("queue", "shape").out()).isEqualTo("the queue is empty\n");
        }
    }
}
