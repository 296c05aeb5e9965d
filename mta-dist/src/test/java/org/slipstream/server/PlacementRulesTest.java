package org.slipstream.server;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.lab.QueueManagers;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.settings.SettingsSource;

import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// The placement gets the settings of `mta.toml`.
class PlacementRulesTest {
    @TempDir
    Path home;

    private PlaceRules rules(String... overrides) {
        ReadResult result = ConfigReader.read(SettingsSource.in(home), List.of(overrides));
        assertThat(result).isInstanceOf(ReadResult.Accepted.class);
        return ((ReadResult.Accepted) result).config().smtpPlacement();
    }

    /// The lab plays with the rules of the server.
    @ParameterizedTest
    @ValueSource(strings = {"queue.lanes=100", "queue.lanes=0", "queue.lanes-per-destination=0",
            "queue.minimal-backoff=20m", "queue.idle-connection=9s"})
    void theLabDerivesTheSameRulesFromTheSameSettings(String setting) {
        ReadResult result = ConfigReader.read(SettingsSource.in(home), List.of(setting));
        Config config = ((ReadResult.Accepted) result).config();
        assertThat(QueueManagers.production(config.queueManager())).isEqualTo(config.smtpPlacement());
    }

    /// The tests of the placement use its defaults, so these are to be the server's.
    @Test
    void theDefaultsOfThePlacementAreThoseOfTheServer() {
        assertThat(rules()).isEqualTo(PlaceRules.defaults());
    }

    @Test
    @Tag("FI-40")
    void theTwoSpecialCasesAreOnAndCanBeSwitchedOffOneByOne() {
        assertThat(rules()).matches(rules -> rules.memory().trackClosed()).matches(rules -> rules.memory().retryLast());
        assertThat(rules("placement.track-closed=false")).matches(rules -> !rules.memory().trackClosed())
                .matches(rules -> rules.memory().retryLast());
        assertThat(rules("placement.retry-last=false")).matches(rules -> rules.memory().trackClosed())
                .matches(rules -> !rules.memory().retryLast());
    }

    @Test
    @Tag("PF-02")
    void withoutALimitOfConnectionsToADestinationAHostMayHaveAllOfThem() {
        assertThat(rules("queue.lanes=70").connectionsPerHost()).isEqualTo(20);
        assertThat(rules("queue.lanes=70", "queue.lanes-per-destination=0").connectionsPerHost()).isEqualTo(70);
    }
}
