package org.slipstream.server;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.ApiClient;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.settings.SettingsSource;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Start and stop. The integration tests cover the running server.
class ServerTest {
    @TempDir
    Path home;

    @Test
    void aServerThatCannotHaveItsPortLeavesNothingOpenAndNothingBehind() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Config config = config("listen.submission=127.0.0.1:" + taken.getLocalPort());
            assertThatThrownBy(() -> Server.start(config)).isInstanceOf(StartFailure.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("listen.submission");
        }
        assertThat(home.resolve("run/admin.sock")).doesNotExist();
        // The spool's lock is free again, so the next start succeeds.
        Server.start(config()).close();
    }

    @Test
    void aSecondServerOnTheSameHomeIsRefusedAndTheFirstGoesOn() throws Exception {
        try (Server first = Server.start(config())) {
            assertThatThrownBy(() -> Server.start(config())).isInstanceOf(StartFailure.class);
            Config otherSpool = config("spool.directory=elsewhere");
            assertThatThrownBy(() -> Server.start(otherSpool)).isInstanceOf(StartFailure.class)
                    .hasMessageContaining("another server is running for this home");
            try (ApiClient operator = ApiClient.connect(first.admin(), Duration.ofSeconds(30))) {
                assertThat(operator.ask("GET", "status").status()).isEqualTo(200);
            }
            assertThat(first.smtp()).hasValueSatisfying(address -> assertThat(address.getPort()).isPositive());
        }
    }

    @Test
    void aStopTakesTheSocketAwayAndMayBeCalledTwice() throws Exception {
        Server server = Server.start(config());
        assertThat(home.resolve("run/admin.sock")).exists();
        server.close();
        server.close();
        assertThat(home.resolve("run/admin.sock")).doesNotExist();
    }

    private Config config(String... more) {
        List<String> settings = new ArrayList<>(List.of("hostname=mta.example", "listen.smtp=127.0.0.1:0",
                "listen.submission=off", "local.domains=here.example"));
        settings.addAll(List.of(more));
        return ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), settings)).config();
    }
}
