package org.slipstream.server.cli;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// `shard` and its commands against the real API.
class ShardCommandsTest {
    @TempDir
    Path home;
    private final FakeShards shards = new FakeShards(2);
    private AdminServer server;
    private Console console;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.bind(AdminSocket.in(home));
        server.serve(new FakeQueue(), new FakeHosts(), new FakeSuspensions(), Optional.of(shards),
                _ -> Optional.empty());
        console = new Console(home);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String done(String... arguments) {
        Console.Ran ran = console.run(arguments);
        assertThat(ran.exit()).as(ran.err()).isZero();
        return ran.out().strip();
    }

    @Test
    @Tag("IM-25")
    void theListHasALineForEachShardAndTheirSum() {
        done("shard", "load", "2", "2/10", "5/20");
        List<String> lines = done("shard", "list").lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).matches("SHARD +MODE +STATE +LOCAL +REMOTE +LOAD +MESSAGES +SIZE +RESTARTS +FOLDER");
        assertThat(lines.get(1)).matches("1 +normal +running +1/20 +1/20 +10% +7 +4.0K +0 +/var/spool-1");
        assertThat(lines.get(2)).matches("2 +normal +running +2/10 +5/20 +45%\\* +7 +4.0K +0 +/var/spool-2");
        assertThat(lines.get(3)).matches("all +- +- +3/30 +6/40 +28% average +14 +8.0K +0 +-");
    }

    @Test
    void oneShardHasNoSum() {
        assertThat(ShardCommand.lines(shards.shards().subList(0, 1))).hasSize(2);
    }

    @Test
    void eachAnswerIsJsonOnRequest() {
        JsonMapper json = JsonMapper.shared();
        assertThat(json.readTree(done("shard", "list", "--json")).get("shards").get(1).get("number").asInt())
                .isEqualTo(2);
        assertThat(json.readTree(done("shard", "disable", "2", "--json")).get("shard").get("mode").asString())
                .isEqualTo("disabled");
        assertThat(json.readTree(done("shard", "add", "--json")).get("done").asString()).isEqualTo("add");
    }

    @Test
    @Tag("IM-22")
    void aShardIsAddedDrainedDisabledAndEnabled() {
        assertThat(done("shard", "add")).isEqualTo("shard 3 is open in /var/spool-3");
        assertThat(done("shard", "drain", "2"))
                .isEqualTo("shard 2 drains: 7 messages to move; ./mta shard list shows the rest");
        assertThat(done("shard", "disable", "3")).isEqualTo("shard 3 takes no new mail; its deliveries go on");
        assertThat(done("shard", "list")).containsPattern("2 +drained").containsPattern("3 +disabled");
        assertThat(done("shard", "enable", "3")).isEqualTo("shard 3 takes mail");
    }

    @ParameterizedTest
    @CsvSource({"2/10, 5/20, 'local 2/10, remote 5/20 (set by hand)'", "90, '', 'local 90/100, remote 90/100 (set by'",
            "auto, 5/20, 'local 1/20, remote 5/20 (set by hand)'", "auto, '', 'local 1/20, remote 1/20 (as measured)'"})
    @Tag("IM-23")
    void aLoadIsSetByHandOrMeasured(String local, String remote, String sentence) {
        String[] arguments = remote.isEmpty()
                ? new String[]{"shard", "load", "2", local}
                : new String[]{"shard", "load", "2", local, remote};
        assertThat(done(arguments)).contains("shard 2 has a load of 45%", sentence);
    }

    @Test
    void aRefusalHasItsReasonAndExitCode() {
        done("shard", "drain", "2");
        Console.Ran last = console.run("shard", "disable", "1");
        assertThat(last.exit()).isEqualTo(Exit.NO);
        assertThat(last.err()).contains("mta: shard 1 is the last that takes mail");
        assertThat(console.run("shard", "disable", "1", "--force").exit()).isZero();
        Console.Ran unknown = console.run("shard", "drain", "9");
        assertThat(unknown.exit()).isEqualTo(Exit.NO);
        assertThat(unknown.err()).contains("there is no shard 9 (./mta shard list shows the shards)");
        done("shard", "add");
        assertThat(console.run("shard", "add").err()).contains("3 shards are the most");
    }

    @ParameterizedTest
    @CsvSource({"shard", "shard drain", "shard drain two", "shard load 2", "shard load 2 much", "shard load 2 1/2 3/x",
            "shard lst"})
    void aWrongOrderIsWrongUsage(String line) {
        assertThat(console.run(line.split(" ")).exit()).isEqualTo(Exit.USAGE);
        assertThat(shards.shards()).hasSize(2).noneMatch(shard -> shard.byHand());
    }

    @Test
    void withoutAServerThereAreNoShards() {
        server.close();
        assertThat(console.run("shard", "list").exit()).isEqualTo(Exit.UNREACHABLE);
    }
}
