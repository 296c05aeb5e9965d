package org.slipstream.lab.scenario;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.lab.scenario.ScenarioReader.Reading;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ChangedKeysTest {
    private static final String SCENARIO = """
            title = "Two"
            [transport.slow]
            lanes = 3
            [[routes]]
            domain = "*"
            [[messages]]
            name = "news"
            to = { "a.example" = 4 }
            [expect]
            sequence = "news×9"
            """;

    private static ScenarioFile file(String... changes) {
        return ((Reading.Good) ScenarioReader.read("x.toml", SCENARIO, List.of(changes))).file();
    }

    @Test
    void aKeyOfASectionThatTheFileDoesNotHaveIsChangedByItsShortName() {
        ScenarioFile file = file("order=fifo", "lanes=1", "delivery=3s");

        assertThat(file.scenario().config().policy()).hasToString("FIFO");
        assertThat(file.scenario().config().transport("smtp").processLimit()).isEqualTo(1);
        assertThat(ScenarioRunner.run(file).record().endMillis()).isEqualTo(3_000);
    }

    @Test
    void aPathNamesAKeyOfATransportAServerOrAMessage() {
        ScenarioFile file = file("messages.news.count=3", "messages.news.to.a.example=2", "servers.default.sessions=2");

        assertThat(file.messages()).hasSize(3);
        assertThat(file.scenario().mails().getFirst().recipients()).hasSize(2);
        assertThat(file.serverLimits()).containsExactly(java.util.Map.entry("smtp/a.example", 2));
    }

    @Test
    void theLastChangeOfAKeyCounts() {
        assertThat(file("seed=2", "seed=3").scenario().seed()).isEqualTo(3);
    }

    @Test
    void expectationsOfTheFileAreNotThoseOfAChangedRun() {
        assertThat(file().expected().all()).hasSize(1);
        assertThat(file("seed=2").expected().all()).isEmpty();
        assertThat(RunText.lines(ScenarioRunner.run(file("seed=2"))))
                .contains("expectations are not checked: the run has seed=2");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "order=fido|x.toml with order=fido: settings: order = \"fido\" is unknown; did you mean \"fifo\"?",
            "ordr=fifo|unknown key \"ordr\"; did you mean \"order\"?",
            "lanes=-1|x.toml with lanes=-1: transport: lanes = -1 is not a whole number from 0 to 100000",
            "transport.slow.lane=2|x.toml with transport.slow.lane=2: unknown key \"transport.slow.lane\"; did you mean",
            "order|\"order\" changes nothing; write key=value"})
    void aChangeThatMakesNoSenseIsOneSentence(String change, String sentence) {
        assertThat(((Reading.Bad) ScenarioReader.read("x.toml", SCENARIO, List.of(change))).sentence())
                .startsWith(sentence);
    }
}
