package org.slipstream.admin;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.Right;
import org.slipstream.core.queue.Suspension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Each action of the API has a right, and a caller with a smaller one is refused.
class RightsTest {
    private static final Map<String, Right> TOKENS = Map.of("r", Right.READ, "o", Right.OPERATE, "a",
            Right.ADMINISTRATE);

    @TempDir
    Path home;
    private final FakeOperations operations = new FakeOperations();
    private final FakeSuspensions suspensions = new FakeSuspensions();
    private AdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.bind(AdminSocket.in(home));
        server.openToGroup(home.resolve("group.sock"));
        server.serve(operations, new FakeHosts(), suspensions,
                token -> Optional.ofNullable(TOKENS.get(token)).map(right -> new ApiCaller("tom", right, true)));
    }

    @AfterEach
    void stop() {
        server.close();
        assertThat(home.resolve("group.sock")).doesNotExist();
    }

    private ApiClient.ApiReply ask(Path socket, Optional<String> token, String method, String path)
            throws IOException {
        try (ApiClient client = ApiClient.connect(socket, token, Duration.ofSeconds(60))) {
            return client.ask(method, path);
        }
    }

    private ApiClient.ApiReply owner(Optional<String> token, String method, String path) throws IOException {
        return ask(AdminSocket.in(home), token, method, path);
    }

    private ApiClient.ApiReply group(Optional<String> token, String method, String path) throws IOException {
        return ask(home.resolve("group.sock"), token, method, path);
    }

    @Test
    void callersWhoseTokenIsNotCheckedYetTakeNothingFromTheOwner() throws Exception {
        server.close();
        CountDownLatch begun = new CountDownLatch(20);
        CountDownLatch checked = new CountDownLatch(1);
        server = AdminServer.bind(AdminSocket.in(home));
        server.openToGroup(home.resolve("group.sock"));
        server.serve(operations, new FakeHosts(), suspensions, _ -> {
            begun.countDown();
            await(checked);
            return Optional.empty();
        });
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var wrong = IntStream.range(0, 20)
                    .mapToObj(_ -> threads.submit(() -> group(Optional.of("wrong"), "GET", "status").status()))
                    .toList();
            await(begun);
            assertThat(owner(Optional.empty(), "GET", "status").status()).isEqualTo(200);
            checked.countDown();
            for (var each : wrong) {
                assertThat(each.get()).isEqualTo(401);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void manyRefusalLinesAreOneLineAMinuteWithTheirNumber() {
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
        RefusalLines refusals = new RefusalLines(now::get);
        assertThat(refusals.toTell("mallory")).hasValue(1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(refusals.toTell("mallory")).isEmpty();
        }
        assertThat(refusals.toTell("bob")).hasValue(1);
        now.addAndGet(RefusalLines.PERIOD_NANOS);
        assertThat(refusals.toTell("mallory")).hasValue(1_001);
        assertThat(refusals.toTell("mallory")).isEmpty();
    }

    @Test
    @Tag("ZM-46")
    void eachActionRefusesEachSmallerRight() throws IOException {
        Api api = new Api(operations, new FakeHosts(), suspensions, PartsOfApi.shards(Optional.of(new FakeShards(2))));
        assertThat(api.resources()).hasSizeGreaterThan(40);
        for (ApiResource resource : api.resources()) {
            String path = resource.path().replace("{id}", "1p4q0c8k2v0").replace("{number}", "1");
            for (Right right : Right.values()) {
                ApiResponse answer = api.answer(resource.method(), Api.ROOT + path, "",
                        new ApiCaller("tom", right, true));
                if (right.includes(resource.right())) {
                    assertThat(answer.status()).as(resource.method() + " " + path).isNotEqualTo(403);
                } else {
                    assertThat(answer.status()).as(resource.method() + " " + path).isEqualTo(403);
                    assertThat(answer.body().toString()).contains("tom has the right to " + right.word() + ", and "
                            + resource.method() + " " + path + " requires the right to " + resource.right().word());
                }
            }
        }
    }

    /// Programs read which orders there are, with their arguments.
    @Test
    void theDescriptionNamesEachResourceWithItsParameters() throws IOException {
        Api api = new Api(operations, new FakeHosts(), suspensions, PartsOfApi.shards(Optional.of(new FakeShards(2))));
        String described = owner(Optional.of("r"), "GET", "openapi.json").body();
        JsonNode paths = new JsonMapper().readTree(described).get("paths");
        for (ApiResource resource : api.resources()) {
            JsonNode method = paths.get(Api.ROOT + resource.path()).get(resource.method().toLowerCase(Locale.ROOT));
            assertThat(method.get("summary").asString()).isEqualTo(resource.does()).endsWith(".");
            assertThat(method.get("parameters").findValuesAsString("name")).containsAll(resource.names());
        }
        JsonNode reroute = paths.get(Api.ROOT + "queue/{id}/reroute").get("post").get("parameters").get(1);
        assertThat(reroute.get("name").asString()).isEqualTo("to");
        assertThat(reroute.get("required").asBoolean()).isTrue();
        assertThat(reroute.get("description").asString()).contains("lmtp:unix:/PATH");
    }

    @Test
    void theSuspensionOfATransportRequiresTheRightOfAFreeze() throws IOException {
        String order = "suspensions/suspend?reason=x&author=tom&kind=";
        assertThat(owner(Optional.of("o"), "POST", order + "transport&name=smtp").status()).isEqualTo(403);
        assertThat(owner(Optional.of("o"), "POST", "suspensions/resume?kind=transport&name=smtp").status())
                .isEqualTo(403);
        assertThat(suspensions.current).isEmpty();
        assertThat(owner(Optional.of("o"), "POST", order + "domain&name=x.example").status()).isEqualTo(200);
        assertThat(owner(Optional.of("a"), "POST", order + "transport&name=smtp").status()).isEqualTo(200);
    }

    /// Text of an order reaches replies, reports and terminals.
    @ParameterizedTest
    @CsvSource({"POST, queue/1p4q0c8k2v0/bounce?reason=", "POST, queue/bounce?sender=a@b.example&reason=",
            "POST, queue/1p4q0c8k2v0/reroute?to=", "POST, destdb/suspend?name=192.0.2.1&author=ann&reason=",
            "POST, destdb/suspend?name=192.0.2.1&reason=x&author=", "POST, suspensions/resume?kind=sender&name=",
            "POST, suspensions/suspend?kind=sender&name=a@b.example&author=ann&reason=",
            "POST, suspensions/suspend?kind=domain&reason=x&author=ann&name=", "POST, freeze?author=ann&reason="})
    void anInvisibleCharacterInAnOrderIsRefused(String method, String order) throws IOException {
        operations.put(77, "b@far.example");
        for (String escaped : List.of("closed%0Awrite", "a%0Db", "a%1Bb", "a%C2%85b", "a%E2%80%AEb", "a%E2%80%A8b")) {
            ApiClient.ApiReply refused = owner(Optional.empty(), method, order + escaped);
            assertThat(refused.status()).as(order + escaped).isEqualTo(400);
            assertThat(refused.body()).contains("has an invisible character (U+");
        }
        assertThat(operations.orders).isEmpty();
        assertThat(suspensions.current).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"GET, status, READ", "GET, queue, READ", "GET, queue/1p4q0c8k2v0/content, ADMINISTRATE",
            "POST, queue/hold, OPERATE", "DELETE, queue/1p4q0c8k2v0, ADMINISTRATE", "POST, queue/delete, ADMINISTRATE",
            "POST, queue/reroute, ADMINISTRATE", "POST, suspensions/suspend, OPERATE", "POST, freeze, ADMINISTRATE"})
    @Tag("ZM-46")
    void viewsAreReadAndWhatRemovesMailIsAdministration(String method, String path, Right right) {
        Api api = new Api(operations, new FakeHosts(), suspensions, PartsOfApi.shards(Optional.of(new FakeShards(2))));
        assertThat(api.resources()).filteredOn(each -> each.method().equals(method)
                && each.variables(Arrays.asList(path.split("/"))).isPresent()).last().extracting(ApiResource::right)
                .isEqualTo(right);
    }

    @Test
    @Tag("ZM-46")
    void theOwnerNeedsNoTokenAndATokenLowersTheRights() throws IOException {
        QueueId id = operations.put(77, "b@far.example");
        assertThat(owner(Optional.of("r"), "GET", "status").status()).isEqualTo(200);
        ApiClient.ApiReply refused = owner(Optional.of("o"), "DELETE", "queue/" + id);
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.body()).contains("tom has the right to operate, and DELETE queue/" + id
                + " requires the right to administrate");
        assertThat(operations.orders).isEmpty();
        assertThat(owner(Optional.of("x"), "GET", "status").status()).as("unknown").isEqualTo(401);
        assertThat(owner(Optional.empty(), "DELETE", "queue/" + id).status()).isEqualTo(200);
    }

    @Test
    @Tag("ZM-46")
    void theSocketOfTheGroupWantsATokenAlways() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("group.sock"))))
                .isEqualTo("rw-rw----");
        ApiClient.ApiReply without = group(Optional.empty(), "GET", "status");
        assertThat(without.status()).isEqualTo(401);
        assertThat(without.body()).contains("this socket needs a token: --token-file FILE, or SLIPSTREAM_TOKEN");
        assertThat(group(Optional.of(""), "GET", "status").status()).isEqualTo(401);
        assertThat(group(Optional.of("r"), "GET", "status").status()).isEqualTo(200);
        assertThat(group(Optional.of("r"), "POST", "thaw").status()).isEqualTo(403);
    }

    @Test
    void theAuthorIsTheTokenOrTheUserWhateverTheClientSays() throws IOException {
        String freeze = "freeze?reason=x&author=somebody";
        assertThat(owner(Optional.of("a"), "POST", freeze).status()).isEqualTo(200);
        assertThat(owner(Optional.empty(), "POST", freeze).status()).isEqualTo(200);
        assertThat(owner(Optional.empty(), "POST", "freeze?reason=x").status()).isEqualTo(200);
        assertThat(suspensions.current).extracting(Suspension::author).containsExactly("tom", "somebody",
                System.getProperty("user.name"));
    }

    // ---- suspensions

    @ParameterizedTest
    @CsvSource({"suspensions/suspend?kind=destination&name=x.example, 400, missing parameter: reason",
            "suspensions/suspend?kind=country&name=x&reason=r, 400, 'none of destination, domain, provider, sender'",
            "suspensions/suspend?kind=domain&reason=r, 400, ?name=",
            "suspensions/suspend?kind=transport&name=uucp&reason=r, 400, no such transport: uucp",
            "suspensions/suspend?kind=host&name=mx.nowhere.example&reason=r, 404, no such entry",
            "suspensions/suspend?kind=domain&name=x.example&reason=r&until=soon, 400, until is not a time",
            "suspensions/resume?kind=domain&name=x.example, 404, not suspended", "thaw, 404, not frozen"})
    void aWrongOrderIsRefusedWithASentence(String path, int status, String sentence) throws IOException {
        ApiClient.ApiReply answer = owner(Optional.empty(), "POST", path);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.body()).contains(sentence);
        assertThat(suspensions.current).isEmpty();
    }

    @Test
    void aDomainIsADestination() throws IOException {
        assertThat(owner(Optional.empty(), "POST",
                "suspensions/suspend?kind=domain&name=X.example&reason=r&until=2030-01-31T18:00:00Z").body())
                .contains("x.example");
        assertThat(owner(Optional.empty(), "GET", "suspensions").body()).contains("\"scope\":\"destination\"",
                "\"name\":\"x.example\"", "\"until\":\"2030-01-31T18:00:00Z\"");
        assertThat(owner(Optional.empty(), "POST", "suspensions/resume?kind=destination&name=x.EXAMPLE").status())
                .isEqualTo(200);
        assertThat(suspensions.current).isEmpty();
    }
}
