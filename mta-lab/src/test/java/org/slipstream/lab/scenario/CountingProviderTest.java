package org.slipstream.lab.scenario;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.lab.scenario.ScenarioReader.Reading;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// A provider that counts connections and refuses further ones with 421. The window may be wider than
/// the provider permits: the connections that are up carry the mail, and it takes no longer than with
/// a window of that size.
class CountingProviderTest {
    private static final String MESSAGES = """
            [[messages]]
            count = 250
            every = "10ms"
            to = { "a.example" = 1 }
            """;
    private static final String LIST = """
            [[messages]]
            to = { "a.example" = 250 }
            """;

    @ParameterizedTest
    @CsvSource({"99, 3, 1", "99, 3, 2", "99, 6, 2", "99, 10, 1", "99, 10, 2", "3, 30, 1", "3, 30, 2"})
    void mailWithAWideWindowTakesNoLongerThanWithOneThatFits(int atOnce, int perMinute, int depth) {
        int permitted = Math.min(atOnce, perMinute);
        String limits = "sessions = " + atOnce + "\nconnections-per-minute = " + perMinute + "\n";
        for (String mail : List.of(MESSAGES, LIST)) {
            long wide = lastMillis(limits, depth, 20, mail);
            long fitting = lastMillis(limits, depth, permitted, mail);
            assertThat(wide).as("window %d takes %d ms for %s", permitted, fitting, mail)
                    .isLessThanOrEqualTo(fitting * 11 / 10);
        }
    }

    private static long lastMillis(String limits, int depth, int window, String mail) {
        Reading reading = ScenarioReader.read("provider.toml",
                """
                title = "A provider that counts connections"
                [placement]
                connection-depth = %d
                %s
                [transport]
                recipients-per-delivery = 1
                initial-destination-concurrency = %d
                lanes-per-destination = %d
                [servers.default]
                connect = "20ms"
                greeting = "50ms"
                delivery = "300ms"
                %s""".formatted(depth, depth == 1 ? "most-connection-depth = 1" : "", Math.min(window, 5), window,
                        limits)
                        + mail);
        assertThat(reading).as(reading.toString()).isInstanceOf(Reading.Good.class);
        return ScenarioRunner.run(((Reading.Good) reading).file()).record().messages().values().stream()
                .mapToLong(message -> message.lastMillis().orElseThrow()).max().orElseThrow();
    }
}
