package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.qmgr.place.PlaceRules;

import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;

/// Several queue managers share the limits of one server.
class ShardsTest {
    private static final long MINUTE = 60_000;

    private static ShardWorld world(int shards, long delayMillis, UnaryOperator<Settings> settings) {
        QmgrConfig config = Settings.of(settings);
        ShardWorld world = new ShardWorld(shards, config, transport -> transport.equals("smtp")
                ? PlaceRules.defaults().withWorkers(config.transport("smtp").processLimit(), 20)
                : config.plainRules(transport), 7);
        world.delayMillis = delayMillis;
        return world;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void aBusyShardAmongIdleOnesUsesTheWholeLimit(long delay) {
        ShardWorld world = world(4, delay, s -> s.lanes(20, 100));
        for (int i = 0; i < 400; i++) {
            world.shard(2).queue("u@d" + i % 50 + ".example");
        }
        world.after(10 * MINUTE);
        assertThat(world.waiting()).isZero();
        assertThat(world.most("transport smtp")).isBetween(90, 100);
    }
}
