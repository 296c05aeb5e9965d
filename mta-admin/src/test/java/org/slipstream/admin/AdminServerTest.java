package org.slipstream.admin;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.admin.operations.HostOperations.HostView;
import org.slipstream.admin.operations.HostOperations.StateView;
import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.admin.operations.StandingOrders.LimitView;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.Right;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The API as its clients see it: over a real socket.
class AdminServerTest {
    @TempDir
    Path home;
    private final FakeOperations operations = new FakeOperations();
    private final FakeHosts hosts = new FakeHosts();
    private final FakeSuspensions orders = new FakeSuspensions();
    private AdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.bind(AdminSocket.in(home));
        server.serve(operations, hosts, orders, PartsOfApi.metrics("mta_x 1\n"),
                _ -> Optional.empty());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void thereAreAtMostAThousandLimits() throws Exception {
        for (int i = 1; i < StandingOrders.MOST; i++) {
            orders.begin(LimitOrder.parse("window:d" + i, "5", "", "", 1, Long.MAX_VALUE));
        }
        assertThat(call("POST", "limits/limit?key=window:last&number=2").status()).isEqualTo(200);
        assertThat(error(call("POST", "limits/limit?key=window:more&number=2"), 400)).contains("at most 1000 limits");
        assertThat(call("POST", "limits/limit?key=window:d1&number=2").status()).isEqualTo(200);
        assertThat(call("POST", "limits/limit?key=window:d2&number=default").status()).isEqualTo(200);
        assertThat(orders.limits()).extracting(LimitView::limit).contains("window:last")
                .doesNotContain("window:more", "window:d2");
    }

    @Test
    void thereAreAtMostAThousandSuspensions() throws Exception {
        for (int i = 1; i < StandingOrders.MOST; i++) {
            orders.begin(new Suspension(SuspensionScope.SENDER, "a@d" + i + ".example", "", "", 1, Long.MAX_VALUE));
        }
        String more = "suspensions/suspend?reason=x&kind=sender&name=a@";
        assertThat(call("POST", more + "last.example").status()).isEqualTo(200);
        assertThat(error(call("POST", more + "more.example"), 400)).contains("at most 1000 suspensions");
        assertThat(call("POST", "freeze?reason=x").status()).as("a freeze is always possible").isEqualTo(200);
        assertThat(call("POST", "thaw").status()).isEqualTo(200);
        assertThat(call("POST", "suspensions/resume?kind=sender&name=a@d2.example").status()).isEqualTo(200);
        assertThat(call("POST", more + "more.example").status()).as("one fewer").isEqualTo(200);
        assertThat(call("POST", more + "d1.example").status()).as("again").isEqualTo(200);
    }

    @Test
    void thereAreAtMostAThousandSuspendedHosts() throws Exception {
        StateView suspended = new StateView("suspended", "x", "", "", 0, "ann");
        for (int i = 0; i < StandingOrders.MOST; i++) {
            hosts.others.add(new HostView("[192.0.2.2]:" + i + "/may", "", List.of(suspended), List.of()));
        }
        for (String order : List.of("destdb/suspend?", "suspensions/suspend?kind=host&")) {
            assertThat(error(call("POST", order + "reason=x&name=mx.far.example"), 400))
                    .contains("at most 1000 suspended hosts");
        }
        hosts.others.removeLast();
        assertThat(call("POST", "destdb/suspend?reason=x&name=mx.far.example").status()).isEqualTo(200);
        assertThat(call("POST", "destdb/suspend?reason=y&name=mx.far.example").status()).as("again").isEqualTo(200);
    }

    @Test
    void thePagesOfTheQueueHangTogether() throws Exception {
        for (int i = 1; i <= 5; i++) {
            operations.put(i, "b@far.example");
        }
        JsonNode first = json(call("GET", "queue?limit=2"));
        assertThat(first.get("messages").size()).isEqualTo(2);
        assertThat(first.get("total").asLong()).isEqualTo(5);
        JsonNode second = json(call("GET", "queue?limit=2&after=" + first.get("next").asString()));
        JsonNode last = json(call("GET", "queue?limit=2&after=" + second.get("next").asString()));
        assertThat(last.get("messages").get(0).get("id").asString()).isEqualTo(new QueueId(5).toString());
        assertThat(last.get("next").isNull()).isTrue();
    }

    @Test
    void theShapeOfTheQueueIsByDestinationOrSenderAPageAtATime() throws Exception {
        assertThat(json(call("GET", "queue/shape")).get("rows").get(0).get("name").asString())
                .isEqualTo("DESTINATION after -");
        assertThat(json(call("GET", "queue/shape?by=sender&after=" + new QueueId(7))).get("rows").get(0).get("name")
                .asString()).isEqualTo("SENDER after " + new QueueId(7));
        assertThat(call("GET", "queue/shape?by=colour").status()).isEqualTo(400);
        assertThat(call("GET", "queue/shape?after=x!").status()).isEqualTo(400);
    }

    @Test
    void theLoadIsJsonAndTheMetricsAreText() throws Exception {
        assertThat(json(call("GET", "destinations")).get("destinations").get(0).get("nextHop").asString())
                .isEqualTo("far.example");
        assertThat(call("GET", "metrics").body()).isEqualTo("mta_x 1\n");
        assertThat(call("POST", "metrics").status()).isEqualTo(405);
    }

    @Test
    void aRequestMayBeAboutOneShard() throws Exception {
        FakeOperations second = new FakeOperations();
        second.put(9, "b@far.example");
        operations.ofShard.put(2, second);
        assertThat(json(call("GET", "queue?shard=2")).get("messages").size()).isEqualTo(1);
        assertThat(json(call("GET", "queue/count?shard=2&sender=a@here.example")).get("count").asInt()).isEqualTo(1);
        assertThat(call("GET", "queue/shape?shard=2").status()).isEqualTo(200);
        assertThat(call("POST", "queue/hold?shard=2").status()).as("a shard is no filter").isEqualTo(400);
        assertThat(call("POST", "queue/hold?shard=2&all=true").status()).isEqualTo(200);
        assertThat(call("POST", "queue/flush?shard=2").status()).isEqualTo(200);
        assertThat(second.orders).containsExactly("hold " + new QueueId(9), "flush all domains");
        assertThat(operations.orders).isEmpty();
        for (String path : List.of("queue?shard=3", "queue?shard=x", "queue/shape?shard=3")) {
            assertThat(call("GET", path)).matches(reply -> reply.status() == 400
                    && reply.body().contains("no such shard"));
        }
        assertThat(call("POST", "queue/flush?shard=3").status()).isEqualTo(400);
    }

    @Test
    void anAddressIsVerifiedWhereTheServerCan() throws Exception {
        assertThat(call("POST", "verify?address=ann@far.example").status()).isEqualTo(501);
        operations.verdict = Optional.of(new Operations.VerdictView("ann@far.example", "undeliverable",
                "smtp/far.example", "mx.far.example[192.0.2.1]:25", "550 5.1.1 User unknown"));
        assertThat(json(call("POST", "verify?address=ann@far.example")).get("verdict").asString())
                .isEqualTo("undeliverable");
        assertThat(call("POST", "verify?address=ann").status()).isEqualTo(400);
        assertThat(call("POST", "verify").status()).isEqualTo(400);
        assertThat(call("GET", "verify?address=ann@far.example").status()).isEqualTo(405);
        assertThat(operations.orders).containsOnly("verify ann@far.example");
    }

    @Test
    void aPageIsNeverLargerThanTheBound() throws Exception {
        for (String limit : new String[]{"0", "-1", "1001", "many", "99999999999"}) {
            assertThat(call("GET", "queue?limit=" + limit).status()).as(limit).isEqualTo(400);
        }
        assertThat(call("GET", "queue?limit=1000").status()).isEqualTo(200);
    }

    @Test
    void aMessageIsShownWithItsRecipients() throws Exception {
        QueueId id = operations.put(77, "b@far.example");
        JsonNode message = json(call("GET", "queue/" + id));
        assertThat(message.get("sender").asString()).isEqualTo("a@here.example");
        assertThat(message.get("recipients").get(0).get("address").asString()).isEqualTo("b@far.example");
        assertThat(message.get("sizeBytes").asLong()).isEqualTo(1234);
    }

    @Test
    void theContentOfAMessageIsSentAsItIs() throws Exception {
        QueueId id = operations.put(77, "b@far.example");
        operations.content = new FakeOperations.TextContent("Subject: x\r\n\r\n" + "long\r\n".repeat(100_000));
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        try (ApiClient client = ApiClient.connect(AdminSocket.in(home), Duration.ofSeconds(30))) {
            assertThat(client.fetch("queue/" + id + "/content", content).status()).isEqualTo(200);
            assertThat(content.toString(StandardCharsets.US_ASCII))
                    .isEqualTo(((FakeOperations.TextContent) operations.content).text());
            assertThat(client.ask("GET", "queue/" + id).status()).as("the connection goes on").isEqualTo(200);
            operations.content = new FakeOperations.TextContent("");
            ApiClient.ApiReply unreadable = client.fetch("queue/" + id + "/content", content);
            assertThat(unreadable.status()).isEqualTo(500);
            assertThat(unreadable.body()).contains("checksum");
            assertThat(client.fetch("queue/" + new QueueId(78) + "/content", content).status()).isEqualTo(404);
            assertThat(client.fetch("queue/uuu/content", content).status()).isEqualTo(400);
        }
    }

    /// A monitor may see that there is mail, and not read it.
    @Test
    void theContentOfAMessageIsForAdministratorsOnly() throws Exception {
        QueueId id = operations.put(77, "b@far.example");
        Api api = new Api(operations, hosts, new FakeSuspensions(), ApiParts.NONE);
        for (Right right : Right.values()) {
            ApiCaller caller = new ApiCaller("monitor", right, true);
            assertThat(api.answer("GET", Api.ROOT + "trace", "of=" + id, caller).status()).isEqualTo(200);
            assertThat(api.answer("GET", Api.ROOT + "queue/" + id + "/content", "", caller).status())
                    .isEqualTo(right == Right.ADMINISTRATE ? 200 : 403);
        }
    }

    @Test
    void aTraceNamesWhatIsWanted() throws Exception {
        assertThat(call("GET", "trace?of=bob%40far.example&limit=5").status()).isEqualTo(200);
        assertThat(json(call("GET", "trace?of=%3C1%40x%3E")).get("since").asString())
                .isEqualTo("2026-11-15T10:00:00Z");
        assertThat(operations.orders).containsExactly("trace bob@far.example 5", "trace <1@x> 20");
        for (String wrong : new String[]{"trace", "trace?of=", "trace?of=x&limit=0", "trace?of=x&limit=1001"}) {
            assertThat(call("GET", wrong).status()).as(wrong).isEqualTo(400);
        }
    }

    @Test
    void ordersReachTheMessageTheyName() throws Exception {
        QueueId id = operations.put(77, "b@far.example");
        for (String order : new String[]{"flush", "hold", "release"}) {
            ApiClient.ApiReply answer = call("POST", "queue/" + id + "/" + order);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(json(answer).get("done").asString()).isEqualTo(order);
        }
        assertThat(call("DELETE", "queue/" + id.toString().toUpperCase(java.util.Locale.ROOT)).status())
                .isEqualTo(200);
        assertThat(operations.orders).containsExactly("flush " + id, "hold " + id, "release " + id, "delete " + id);
        assertThat(call("GET", "queue/" + id).status()).isEqualTo(404);
    }

    @Test
    void theWholeQueueOrOneDomainCanBeFlushed() throws Exception {
        assertThat(call("POST", "queue/flush").status()).isEqualTo(200);
        assertThat(call("POST", "queue/flush?domain=far.example").status()).isEqualTo(200);
        assertThat(call("POST", "queue/flush?domain=").status()).isEqualTo(400);
        assertThat(operations.orders).containsExactly("flush all domains", "flush all far.example");
    }

    @Test
    void aFilterReachesTheQueueUnchanged() throws Exception {
        operations.put(1, "b@far.example");
        call("GET", "queue?sender=*%40here.example&recipient=b%40*&domain=*.example&state=deferred&older-than=1h"
                + "&younger-than=1d12h&attempts=2");
        assertThat(operations.filters).containsExactly(new QueueFilter(AddressPattern.parse("*@here.example"),
                List.of(new AddressPattern("b", "*"), new AddressPattern("*", "*.example")),
                Optional.of(QueueFilter.State.DEFERRED), OptionalLong.of(3_600_000), OptionalLong.of(129_600_000), 2));
        call("GET", "queue?sender=%3C%3E");
        assertThat(operations.filters.getLast().sender()).contains(AddressPattern.NULL);
        call("GET", "queue");
        assertThat(operations.filters.getLast().isAny()).isTrue();
    }

    @Test
    void matchingMessagesAreCountedInPortions() throws Exception {
        for (int i = 1; i <= 5; i++) {
            operations.put(i, "b@far.example");
        }
        JsonNode first = json(call("GET", "queue/count?sender=a%40here.example"));
        assertThat(first.get("count").asLong()).isEqualTo(2);
        JsonNode second = json(
                call("GET", "queue/count?sender=a%40here.example&after=" + first.get("next").asString()));
        JsonNode last = json(call("GET", "queue/count?sender=a%40here.example&after=" + second.get("next").asString()));
        assertThat(last.get("count").asLong()).isEqualTo(1);
        assertThat(last.get("next").isNull()).isTrue();
    }

    @Test
    void anOrderForAllThatFitIsGivenAPageAtATime() throws Exception {
        for (int i = 1; i <= 3; i++) {
            operations.put(i, "b@far.example");
        }
        JsonNode page = json(call("POST", "queue/delete?sender=*%40here.example&limit=2"));
        assertThat(page.get("count").asLong()).isEqualTo(2);
        assertThat(page.get("next").asString()).isEqualTo(new QueueId(2).toString());
        assertThat(operations.queue).containsOnlyKeys(new QueueId(3));
        for (String order : new String[]{"hold", "release", "flush"}) {
            assertThat(json(call("POST", "queue/" + order + "?sender=*%40here.example")).get("count").asLong())
                    .isEqualTo(1);
        }
        assertThat(operations.orders).endsWith("hold " + new QueueId(3), "release " + new QueueId(3),
                "flush " + new QueueId(3));
        assertThat(json(call("POST", "queue/delete?dry-run=true&sender=*%40here.example")).get("count").asLong())
                .isEqualTo(1);
        assertThat(operations.queue).as("only counted").hasSize(1);
        assertThat(call("POST", "queue/flush?domain=*.example").status()).as("a pattern goes by pages")
                .isEqualTo(200);
        assertThat(operations.orders.getLast()).isEqualTo("flush " + new QueueId(3));
    }

    @Test
    void anOrderForTheWholeQueueRequiresAll() throws Exception {
        operations.put(1, "b@far.example");
        for (String order : new String[]{"delete", "hold", "release"}) {
            assertThat(error(call("POST", "queue/" + order), 400)).contains(order, "filter", "all=true");
            assertThat(error(call("POST", "queue/" + order + "?all=maybe"), 400)).contains("all");
        }
        assertThat(error(call("POST", "queue/delete?all=true&sender=a%40here.example"), 400)).contains("all=true");
        assertThat(operations.queue).hasSize(1);
        assertThat(json(call("POST", "queue/delete?all=true")).get("count").asLong()).isEqualTo(1);
        assertThat(operations.queue).isEmpty();
    }

    @Test
    @Tag("ZM-46")
    void ordersTakeTheirArgumentForOneMessageAndForAFilter() throws Exception {
        QueueId id = operations.put(77, "b@far.example");
        for (String order : new String[]{"requeue", "expire", "bounce", "bounce?reason=no%20such%20domain",
                "reroute?to=relay.example%3A26", "priority?value=-4", "hold?reason=asked&author=ann"}) {
            assertThat(call("POST", "queue/" + id + "/" + order).status()).as(order).isEqualTo(200);
            String filter = (order.contains("?") ? "&" : "?") + "sender=a%40here.example";
            assertThat(json(call("POST", "queue/" + order + filter)).get("count").asLong()).as(order).isEqualTo(1);
        }
        assertThat(operations.orders).containsExactly("requeue " + id, "requeue " + id, "expire " + id,
                "expire " + id, "bounce " + id, "bounce " + id, "bounce no such domain " + id,
                "bounce no such domain " + id, "reroute smtp:[relay.example]:26 " + id,
                "reroute smtp:[relay.example]:26 " + id,
                "priority -4 " + id, "priority -4 " + id, "hold asked " + id, "hold asked " + id);
        assertThat(call("POST", "queue/" + id + "/release?reason=x").status()).as("an argument of another order")
                .isEqualTo(400);
    }

    @Test
    void anOrderWithAWrongArgumentIsRefusedBeforeItReachesAMessage() throws Exception {
        QueueId id = operations.put(77, "b@far.example");
        assertThat(error(call("POST", "queue/" + id + "/reroute?to=nowhere"), 400)).isEqualTo(
                "\"nowhere\" is not a next hop; use HOST:PORT");
        assertThat(error(call("POST", "queue/reroute?to=nowhere&sender=a%40here.example"), 400)).isEqualTo(
                "\"nowhere\" is not a next hop; use HOST:PORT");
        assertThat(operations.orders).isEmpty();
    }

    @Test
    void aFilterThatMatchesEverythingRequiresAll() throws Exception {
        operations.put(1, "b@far.example");
        for (String filter : new String[]{"sender=*%40*", "domain=*", "recipient=*%40*", "older-than=0s",
                "sender=*%40*&domain=**"}) {
            for (String order : new String[]{"delete", "hold", "bounce", "expire", "requeue"}) {
                assertThat(error(call("POST", "queue/" + order + "?" + filter), 400)).as(filter)
                        .contains("matches the whole queue", "--all");
            }
        }
        assertThat(operations.orders).isEmpty();
        assertThat(call("POST", "queue/hold?sender=*%40*&state=held").status()).as("a part of the queue")
                .isEqualTo(200);
        assertThat(call("POST", "queue/flush?sender=*%40*").status()).as("changes nothing for good").isEqualTo(200);
    }

    @Test
    void aFilterThatCannotBeIsRefusedWithItsPlace() throws Exception {
        String[][] wrong = {{"sender", "news"}, {"sender", "@example.org"}, {"sender", "a b@example.org"},
                {"recipient", "%3C%3E"}, {"recipient", "x@..example"}, {"domain", "a@b"}, {"domain", ""},
                {"state", "lost"}, {"older-than", "2"}, {"older-than", "soon"}, {"younger-than", ""},
                {"younger-than", "-1h"}, {"attempts", "0"}, {"attempts", "x"}};
        for (String[] each : wrong) {
            String filter = each[0] + "=" + each[1].replace(" ", "%20");
            for (ApiClient.ApiReply answer : List.of(call("GET", "queue?" + filter),
                    call("GET", "queue/count?" + filter), call("POST", "queue/delete?" + filter))) {
                assertThat(error(answer, 400)).as(filter).startsWith(each[0] + ": ");
                assertThat(json(answer).get("parameter").asString()).isEqualTo(each[0]);
            }
        }
        ApiClient.ApiReply unknown = call("GET", "queue?sendr=x");
        assertThat(error(unknown, 400)).contains("sendr", "sender");
        assertThat(error(call("GET", "queue?older-than=2h&younger-than=1h"), 400)).startsWith("younger-than: ");
        assertThat(operations.filters).isEmpty();
    }

    @Test
    void troubleIsPartOfTheStatusAndUnknownCountsAreNull() throws Exception {
        assertThat(json(call("GET", "status")).get("trouble").isEmpty()).isTrue();
        operations.trouble = List.of(new Operations.TroubleView("index", "2026-11-21T10:00:00Z",
                "new mail is refused with 451 until it can be written", "input/output error"));
        JsonNode status = json(call("GET", "status"));
        assertThat(status.get("messages").isNull()).isTrue();
        assertThat(status.get("trouble").get(0).get("what").asString()).isEqualTo("index");
        assertThat(status.get("trouble").get(0).get("since").asString()).isEqualTo("2026-11-21T10:00:00Z");
    }

    @Test
    void theStatusIsShown() throws Exception {
        JsonNode status = json(call("GET", "status"));
        assertThat(status.get("hostname").asString()).isEqualTo("mail.example.org");
        assertThat(status.get("destinations").get(0).get("nextHop").asString()).isEqualTo("far.example");
    }

    @Test
    void hostsAreListedShownAndOrderedAbout() throws Exception {
        assertThat(json(call("GET", "destdb")).get("hosts").get(0).get("states").get(0).get("failures").asInt())
                .isEqualTo(2);
        assertThat(json(call("GET", "destdb/host?name=%5B192.0.2.1%5D%3A25%2Fmay")).get("hosts").get(0).get("name")
                .asString()).isEqualTo("mx.far.example");
        assertThat(call("POST", "destdb/forget?name=mx.far.example").status()).isEqualTo(200);
        assertThat(call("POST", "destdb/suspend?name=mx.far.example&reason=full&author=ann&until=2026-01-31T18:00:00Z")
                .status()).isEqualTo(200);
        assertThat(hosts.last).hasValue(new HostOrder.Suspend("full", "ann",
                Optional.of(Instant.parse("2026-01-31T18:00:00Z"))));
        assertThat(call("POST", "destdb/resume?name=mx.far.example").status()).isEqualTo(200);
        assertThat(hosts.orders).containsExactly("forget mx.far.example", "suspend mx.far.example",
                "resume mx.far.example");
    }

    @Test
    void anOrderAboutAHostThatMakesNoSenseIsRefusedInASentence() throws Exception {
        assertThat(error(call("GET", "destdb/host?name=nobody.example"), 404)).contains("nobody.example");
        assertThat(error(call("GET", "destdb/host"), 400)).contains("name");
        assertThat(error(call("POST", "destdb/forget?name="), 400)).contains("name");
        assertThat(error(call("POST", "destdb/suspend?name=mx.far.example&author=ann"), 400)).contains("reason");
        assertThat(error(call("POST", "destdb/suspend?name=mx.far.example&author=ann&reason=x&until=soon"), 400))
                .contains("until");
        assertThat(error(call("POST", "destdb/explode?name=x"), 404)).contains("explode");
        assertThat(hosts.orders).isEmpty();
    }

    @Test
    void unknownResourcesAreReportedInASentence() throws Exception {
        assertThat(error(call("GET", "queue/" + new QueueId(1)), 404)).contains("no such message");
        assertThat(error(call("POST", "queue/" + new QueueId(1) + "/hold"), 404)).contains("no such message");
        assertThat(error(call("GET", "queue/not-an-id"), 400)).contains("not a queue id");
        assertThat(error(call("GET", "queues"), 404)).contains("/api/v1/queues");
        assertThat(error(call("POST", "queue/" + new QueueId(1) + "/explode"), 404)).contains("explode");
        assertThat(error(call("GET", "queue?limti=3"), 400)).contains("limti");
        assertThat(error(call("GET", "queue?limit=1&limit=2"), 400)).contains("query");
        assertThat(error(call("GET", "queue?after=***"), 400)).contains("after");
    }

    @Test
    void aWrongMethodGetsTheAllowedOnes() throws Exception {
        assertThat(error(call("POST", "queue/" + new QueueId(1)), 405)).endsWith("DELETE, GET");
        assertThat(call("DELETE", "queue").status()).isEqualTo(405);
    }

    @Test
    void anOrderThatIsNotOnDiskIsA503() throws Exception {
        operations.diskStandsStill = true;
        assertThat(error(call("POST", "queue/" + new QueueId(1) + "/hold"), 503))
                .startsWith("ordered, but not on disk");
    }

    @Test
    void troubleOfTheServerIsA500WithASentence() throws Exception {
        operations.broken = true;
        assertThat(error(call("GET", "queue"), 500)).contains("the queue index does not answer");
        assertThat(error(call("GET", "status"), 500)).contains("the queue manager is gone");
        operations.broken = false;
        assertThat(call("GET", "status").status()).isEqualTo(200);
    }

    @Test
    void onlyTheOwnerCanOpenTheSocket() throws IOException {
        assertThat(mode(server.socket())).isEqualTo("rw-------");
        assertThat(mode(server.socket().getParent())).isEqualTo("rwx------");
        server.close();
        Files.setPosixFilePermissions(server.socket().getParent(), PosixFilePermissions.fromString("rwxrwxrwx"));
        start();
        assertThat(mode(server.socket().getParent())).as("also when the folder was there before")
                .isEqualTo("rwx------");
    }

    @Test
    void clientsThatConnectAndSendNothingBlockNoOther() throws Exception {
        List<SocketChannel> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 3 * AdminServer.MOST_CONNECTIONS; i++) {
                idle.add(AdminSocket.connect(server.socket()));
            }
            assertThat(call("GET", "status").status()).isEqualTo(200);
        } finally {
            for (SocketChannel each : idle) {
                each.close();
            }
        }
    }

    @Test
    void clientsThatReadNoAnswerBlockNoOther() throws Exception {
        for (int i = 1; i <= 2_000; i++) {
            operations.put(i, "b@far.example");
        }
        List<SocketChannel> deaf = new ArrayList<>();
        try {
            for (int i = 0; i < AdminServer.MOST_CONNECTIONS; i++) {
                SocketChannel client = AdminSocket.connect(server.socket());
                deaf.add(client);
                client.write(StandardCharsets.US_ASCII.encode(
                        "GET /api/v1/queue?limit=1000 HTTP/1.1\r\nHost: x\r\n\r\n".repeat(4)));
            }
            await(() -> call("GET", "status").status() == 200);
        } finally {
            for (SocketChannel each : deaf) {
                each.close();
            }
        }
    }

    @Test
    void aSecondServerOfTheSameHomeIsRefusedAndTheFirstGoesOn() throws Exception {
        assertThatThrownBy(() -> AdminServer.bind(server.socket())).isInstanceOf(IOException.class)
                .hasMessageContaining("another server is running");
        assertThat(call("GET", "status").status()).isEqualTo(200);
    }

    @Test
    void aConnectionWithoutAThreadIsClosedAndTheNextOneIsServed() throws Exception {
        server.close();
        AtomicBoolean faulty = new AtomicBoolean(true);
        server = AdminServer.bind(AdminSocket.in(home), Executors.newThreadPerTaskExecutor(task -> {
            if (faulty.getAndSet(false)) {
                throw new IllegalStateException("no thread for the first client");
            }
            return Thread.ofPlatform().daemon().unstarted(task);
        }));
        server.serve(operations, hosts, new FakeSuspensions(), _ -> Optional.empty());
        assertThatThrownBy(() -> call("GET", "status")).isInstanceOf(IOException.class);
        assertThat(call("GET", "status").status()).isEqualTo(200);
    }

    @Test
    void theSocketOfAKilledServerIsReplaced() throws Exception {
        server.close();
        try (var killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(server.socket()));
        }
        assertThat(server.socket()).exists();
        start();
        assertThat(call("GET", "status").status()).isEqualTo(200);
    }

    @Test
    void aHomeWithALongNameWorksToo() throws Exception {
        server.close();
        home = Files.createDirectories(home.resolve("a".repeat(90)).resolve("b".repeat(90)));
        start();
        assertThat(call("GET", "status").status()).isEqualTo(200);
        assertThat(home.resolve("run/admin.sock")).exists();
        assertThatThrownBy(() -> AdminServer.bind(AdminSocket.in(home))).hasMessageContaining("another server");
    }

    @Test
    void itCanBeStoppedTwiceAndTakesTheSocketAway() {
        server.close();
        server.close();
        assertThat(server.socket()).doesNotExist();
        assertThatThrownBy(() -> call("GET", "status")).isInstanceOf(NoSuchFileException.class);
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds() throws Exception;
    }

    @Test
    void anExplanationHasABoundThatTheCallerMayLower() throws Exception {
        assertThat(json(call("GET", "explain?destination=far.example&most=1")).path("name").asString())
                .isEqualTo("far.example");
        assertThat(call("GET", "explain?most=5000&sender=a%40here.example").status()).isEqualTo(200);
        for (String most : List.of("0", "5001", "-1", "x", "99999999999")) {
            ApiClient.ApiReply reply = call("GET", "explain?destination=far.example&most=" + most);
            assertThat(error(reply, 400)).contains("from 1 to 5000");
            assertThat(json(reply).path("parameter").asString()).isEqualTo("most");
        }
        assertThat(error(call("GET", "explain?most=5"), 400)).contains("needs one of");
    }

    @Test
    void aDestinationTheCountersAndTheEventsCanBeRead() throws Exception {
        assertThat(json(call("GET", "destination?name=far.example")).path("name").asString()).isEqualTo("far.example");
        assertThat(error(call("GET", "destination"), 400)).contains("name");
        assertThat(json(call("GET", "counters")).path("mtaReceivedMessages").asLong()).isEqualTo(12);
        assertThat(json(call("GET", "log")).path("events").isArray()).isTrue();
    }

    private static void await(Condition condition) throws Exception {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.holds()) {
            assertThat(System.nanoTime()).isLessThan(giveUp);
            Thread.onSpinWait();
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private ApiClient.ApiReply call(String method, String resource) throws IOException {
        try (ApiClient client = ApiClient.connect(AdminSocket.in(home), Duration.ofSeconds(30))) {
            return client.ask(method, resource);
        }
    }

    private static JsonNode json(ApiClient.ApiReply reply) {
        return JsonMapper.shared().readTree(reply.body());
    }

    private static String error(ApiClient.ApiReply reply, int status) {
        assertThat(reply.status()).isEqualTo(status);
        assertThat(json(reply).get("status").asInt()).isEqualTo(status);
        assertThat(json(reply).get("type").asString()).isEqualTo("about:blank");
        return json(reply).get("detail").asString();
    }
}
