package org.slipstream.config;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.settings.EffectiveSetting;
import org.slipstream.settings.SettingsSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/// A running server takes some of other settings, and leaves the rest for its next start.
class ConfigChangesTest {
    /// Another value for each setting that needs a restart; a new one needs a line here.
    private static final Map<String, String> OTHERS = Map.ofEntries(
            Map.entry("spool.directory", "elsewhere"), Map.entry("spool.engine", "postgresql"),
            Map.entry("spool.database", "jdbc:postgresql://db.example/x"),
            Map.entry("spool.database-lost", "keep-here"),
            Map.entry("spool.segment-size", "1MiB"), Map.entry("spool.inline-size", "1KiB"),
            Map.entry("spool.minimum-free", "1MiB"), Map.entry("cluster.node", "a"),
            Map.entry("cluster.listen", "127.0.0.1:2526"), Map.entry("cluster.identity", "cluster.pem"),
            Map.entry("shard.mode", "dynamic"),
            Map.entry("shard.start", "2"), Map.entry("shard.count", "2"), Map.entry("shard.maximum", "3"),
            Map.entry("shard.load", "50"), Map.entry("shard.interval", "5s"), Map.entry("shard.local-lanes", "7"),
            Map.entry("shard.remote-lanes", "7"), Map.entry("shard.folders", "disk2"),
            Map.entry("history.keep", "1d"), Map.entry("history.size", "2MiB"),
            Map.entry("events.keep", "1d"), Map.entry("events.size", "2MiB"), Map.entry("journal.file", "journal"),
            Map.entry("listen.console", "127.0.0.1:8025"), Map.entry("journal.size", "1MiB"),
            Map.entry("scheduler.order", "fifo"), Map.entry("listen.metrics", "127.0.0.1:9626"),
            Map.entry("listen.http", "127.0.0.1:8025"),
            Map.entry("queue.deliver", "false"), Map.entry("concurrency.feedback-debug", "true"),
            Map.entry("admin.group-socket", "group.sock"), Map.entry("local.delivery", "lmtp:127.0.0.1:24"),
            Map.entry("maildrop.accept", "false"),
            Map.entry("feedback.unsubscribe-url", "https://lists.example/unsubscribe"),
            Map.entry("maildrop.at-once", "2"), Map.entry("maildrop.scan-interval", "5s"));

    @TempDir
    Path home;

    private Config read(Map<String, String> settings) {
        List<String> lines = settings.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue()).toList();
        return ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), lines)).config();
    }

    @Test
    void aServerKeepsTheValueOfEverySettingThatNeedsARestart() {
        Config running = read(Map.of());
        List<String> declared = running.written().settings().stream().filter(each -> !each.isLive())
                .map(EffectiveSetting::key).toList();
        assertThat(declared).containsExactlyInAnyOrderElementsOf(OTHERS.keySet());
        Config changed = read(OTHERS);
        assertThat(ConfigChanges.between(running, changed).restart().keySet())
                .containsExactlyInAnyOrderElementsOf(OTHERS.keySet());
        assertThat(changed.keeping(running)).isEqualTo(running);
    }
}
