package org.slipstream.it;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.it.fixture.DialoguePlayer;
import org.slipstream.it.fixture.DialogueStage;
import org.slipstream.it.fixture.DialogueStage.Plan;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Settings;
import org.slipstream.testkit.Dialogue;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/// The dialogues that mta-smtp-in keeps as files, with the packaged server: the same replies, and
/// the mail in the mailboxes. Dialogues with equal settings share a server.
class DialoguesIT {
    @TempDir
    static Path homes;
    private static Optional<PackagedServer> running = Optional.empty();
    private static Settings now = Settings.quick();

    @AfterAll
    static void stop() {
        running.ifPresent(PackagedServer::close);
    }

    static List<Dialogue> situations() {
        return Dialogue.all("dialogues").stream()
                .filter(dialogue -> DialogueStage.plan(dialogue) instanceof Plan.Playable)
                .sorted(Comparator.comparing((Dialogue dialogue) -> stage(dialogue).settings().pairs().toString())
                        .thenComparing(Dialogue::name))
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("situations")
    void dialogue(Dialogue dialogue) {
        var stage = stage(dialogue);
        new DialoguePlayer(server(stage.settings())).play(dialogue, stage);
    }

    /// Fails when a file is taken out of the test silently.
    @Test
    void whatIsLeftIsLeftForAReason() {
        Map<String, List<String>> left = Dialogue.all("dialogues").stream()
                .filter(dialogue -> DialogueStage.plan(dialogue) instanceof Plan.Left)
                .collect(Collectors.groupingBy(dialogue -> ((Plan.Left) DialogueStage.plan(dialogue)).why(),
                        Collectors.mapping(Dialogue::name, Collectors.toList())));
        left.forEach((why, names) -> System.out.println(names.size() + " not played, " + why + ": " + names));
        assertThat(situations()).hasSizeGreaterThanOrEqualTo(155);
    }

    private static Plan.Playable stage(Dialogue dialogue) {
        return (Plan.Playable) DialogueStage.plan(dialogue);
    }

    private static PackagedServer server(Settings settings) {
        if (running.isEmpty() || !now.equals(settings)) {
            running.ifPresent(PackagedServer::close);
            try {
                var home = Files.createTempDirectory(homes, "home");
                DialogueStage.furnish(home);
                running = Optional.of(PackagedServer.start(Program.folder(), home, settings.pairs()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            now = settings;
        }
        return running.get();
    }
}
