package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.server.ProgramRun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Signals to the packaged program, through the launcher.
class SignalIT {
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void aHangupReadsTheSettingsAgainAndEndsNothing() {
        var server = bench.server(Settings.quick());
        ProgramRun.of("kill", "-HUP", Long.toString(server.pid())).mustSucceed();
        eventually().until(() -> server.log().contains("event=configuration-reloaded"));
        server.command("status").mustSucceed();
        assertThat(server.stop()).isZero();
    }
}
