package org.slipstream.server;

import org.jspecify.annotations.Nullable;
import org.slipstream.admin.operations.ConfigurationOperations.ReloadView;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.config.SettingsAgain;
import org.slipstream.settings.SettingsSource;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// A whole server in this process, whose operator edits mta.toml and reloads.
final class EditedServer implements AutoCloseable {
    static final byte[] CONTENT = "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Path home;
    private final List<String> levels = new ArrayList<>();
    private final SettingsAgain source = new SettingsAgain() {
        @Override
        public ReadResult read(List<String> changes) {
            beforeRead.run();
            return ConfigReader.read(SettingsSource.in(home), changes);
        }

        @Override
        public void inForce(Config settings) {
            levels.add(settings.log().level());
        }
    };
    private @Nullable Server server;
    /// Runs on the thread that reads the settings.
    volatile Runnable beforeRead = () -> {};

    EditedServer(Path home) {
        this.home = home;
    }

    Server server() {
        return Objects.requireNonNull(server);
    }

    /// The levels of the log that were put into force.
    List<String> levels() {
        return levels;
    }

    // Keys of one section may stand in several places, as --set has them; TOML knows dotted keys.
    void write(String... lines) throws IOException {
        List<String> all = new ArrayList<>(List.of(lines));
        for (String usual : List.of("hostname = \"mta.example\"", "listen.smtp = \"127.0.0.1:0\"",
                "local.domains = [\"here.example\"]", "listen.submission = \"off\"")) {
            String key = usual.substring(0, usual.indexOf('=') + 1);
            if (IntStream.range(0, lines.length).noneMatch(i -> lines[i].startsWith(key))) {
                all.addFirst(usual);
            }
        }
        Files.write(home.resolve("mta.toml"), all);
    }

    void start(String... lines) throws Exception {
        write(lines);
        server = Server.start(((ReadResult.Accepted) source.read()).config(), source);
    }

    ReloadView reload(String... lines) throws IOException {
        write(lines);
        return server().reload("test");
    }

    /// Reloads without a mistake.
    ///
    /// @return the settings that have changed
    List<String> changed(String... lines) throws IOException {
        ReloadView view = reload(lines);
        assertThat(view.problems()).isEmpty();
        assertThat(view.applied()).isTrue();
        return view.changed();
    }

    SmtpTalker client() {
        return SmtpTalker.introducedTo(server().smtp().orElseThrow());
    }

    String send(String... recipients) {
        try (SmtpTalker client = client()) {
            return client.send(new OutgoingMessage("a@here.example", List.of(recipients), CONTENT)).toString();
        }
    }

    @Override
    public void close() {
        server().close();
    }
}
