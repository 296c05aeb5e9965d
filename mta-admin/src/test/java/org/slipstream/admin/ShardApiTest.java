package org.slipstream.admin;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.admin.operations.ShardOperations;
import org.slipstream.admin.operations.ShardOperations.ShardView;
import org.slipstream.admin.operations.ShardOperations.UseView;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// The orders for shards by method, path and query.
class ShardApiTest {
    private final FakeShards shards = new FakeShards(2);

    private ApiResponse ask(Optional<ShardOperations> served, Right right, String method, String path, String query)
            throws IOException {
        return new Api(new FakeOperations(), new FakeHosts(), new FakeSuspensions(),
                PartsOfApi.shards(served))
                .answer(method, Api.ROOT + path, query, new ApiCaller("tom", right, true));
    }

    private ApiResponse order(String path, String query) throws IOException {
        return ask(Optional.of(shards), Right.ADMINISTRATE, "POST", path, query);
    }

    private ShardView shard(int number) {
        return shards.shards().get(number - 1);
    }

    @ParameterizedTest
    @CsvSource({"GET, shards, READ", "POST, shards/2/load, OPERATE", "POST, shards/2/enable, OPERATE",
            "POST, shards/2/disable, OPERATE", "POST, shards/add, ADMINISTRATE", "POST, shards/2/drain, ADMINISTRATE"})
    @Tag("ZM-46")
    void moreThanUseOfAShardNeedsTheGreatestRight(String method, String path, Right right) throws IOException {
        assertThat(ask(Optional.of(shards), right, method, path, "").status()).isNotEqualTo(403);
        if (right != Right.READ) {
            Right smaller = Right.values()[right.ordinal() - 1];
            assertThat(ask(Optional.of(shards), smaller, method, path, "").status()).isEqualTo(403);
        }
    }

    @Test
    @Tag("IM-22")
    void aShardIsDisabledAndEnabled() throws IOException {
        assertThat(order("shards/2/disable", "").body().toString()).contains("mode=disabled");
        assertThat(shard(2).mode()).isEqualTo("disabled");
        assertThat(order("shards/2/enable", "").status()).isEqualTo(200);
        assertThat(shard(2).mode()).isEqualTo("normal");
    }

    @Test
    void aRefusalIsAConflictAndForceOvercomesIt() throws IOException {
        order("shards/2/drain", "");
        ApiResponse refused = order("shards/1/disable", "");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.body().toString()).contains("the last that takes mail");
        assertThat(order("shards/1/disable", "force=true").status()).isEqualTo(200);
    }

    @Test
    void theMostShardsAreALimit() throws IOException {
        assertThat(order("shards/add", "").body().toString()).contains("number=3");
        assertThat(order("shards/add", "").status()).isEqualTo(409);
    }

    @ParameterizedTest
    @CsvSource({"local=2/10&remote=5/20, 2/10, 5/20, true", "local=auto&remote=5/20, 1/20, 5/20, true",
            "local=45&remote=0/0, 45/100, 0/0, true", "local=auto&remote=auto, 1/20, 1/20, false"})
    @Tag("IM-23")
    void aLoadIsSetAsAnExpressionAPercentageOrAsMeasured(String query, String local, String remote, boolean byHand)
            throws IOException {
        assertThat(order("shards/2/load", query).status()).isEqualTo(200);
        assertThat(shard(2)).extracting(each -> each.local().toString(), each -> each.remote().toString(),
                ShardView::byHand).containsExactly(local, remote, byHand);
    }

    @ParameterizedTest
    @CsvSource({"'', missing parameter: local",
            "local=2/10&remote=x, local and remote must be",
            "local=2/10&remote=-1/3, local and remote must be", "local=2/1234567&remote=1/2, local and remote must be",
            "lokal=2/10&remote=1/2, unknown parameter lokal"})
    void aLoadOfAnotherFormIsRefused(String query, String sentence) throws IOException {
        ApiResponse answer = order("shards/2/load", query);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body().toString()).contains(sentence);
        assertThat(shard(2).local()).isEqualTo(new UseView(1, 20));
    }

    @ParameterizedTest
    @CsvSource({"shards/9/drain, no such shard: 9", "shards/9/enable, no such shard: 9",
            "shards/9/disable, no such shard: 9", "shards/two/drain, no such shard: two",
            "shards/2/split, no such resource",
            "shards/2, no such resource", "shards/12345/drain, no such shard: 12345"})
    void anUnknownShardIsNotFound(String path, String sentence) throws IOException {
        ApiResponse answer = order(path, "");
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.body().toString()).contains(sentence);
    }

    @Test
    void aServerWithoutShardsSaysSo() throws IOException {
        for (String path : Arrays.asList("shards/add", "shards/1/drain")) {
            assertThat(ask(Optional.empty(), Right.ADMINISTRATE, "POST", path, "").status()).isEqualTo(501);
        }
        assertThat(ask(Optional.empty(), Right.READ, "GET", "shards", "").status()).isEqualTo(501);
    }
}
