package org.slipstream.world;

import org.slipstream.admin.ApiClient;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.world.WorldPlan.FaultKind;
import org.slipstream.world.WorldPlan.WorldFault;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/// The operator of a world: gives orders over the admin API and looks at the queue, as `mta` does.
///
/// A look judges each message that waits. It has a gate with a name; a gate that opens with the end of
/// a delivery has a delivery under way; a time that has come is used; and what was known of a message
/// stays known. Troubles of the disk and stops of the program excuse the moments after them.
final class WorldOperator {
    /// The server keeps so many. When there are more, all of the oldest moment leave together.
    private static final String RELEASE_ALL = "queue/release?all=true";
    private static final int KEPT_ATTEMPTS = 20;
    private static final long SECOND = 1_000_000_000L;
    /// How long after a trouble of the machine nothing is judged.
    private static final int RECOVERY_SECONDS = 300;
    /// The same for mail that waits for the end of a delivery: that is known in memory only.
    private static final int WAKE_UP_SECONDS = 60;
    /// Deliveries under way may still connect when a limit comes into force.
    private static final int LIMIT_SECONDS = 120;
    private static final int IDLE_SECONDS = 5;
    private static final int GIVES = 5;
    private static final int TAKES_BACK = 200;
    private static final Duration OVERDUE = Duration.ofMinutes(3);
    /// Longer than the timeouts of one delivery together.
    private static final Duration LONGEST_DELIVERY = Duration.ofMinutes(60);
    /// Gates that open when a delivery or a connection ends.
    private static final Set<Code> BEHIND_DELIVERIES = EnumSet.of(Code.SERVER, Code.CONNECTIONS, Code.PROVIDER,
            Code.RING, Code.WINDOW, Code.SENDER, Code.SHARE, Code.UNPROVEN, Code.HOST_LIMIT, Code.TURN);
    private static final Set<Code> FOR_A_TIME = EnumSet.of(Code.RETRY, Code.DEAD, Code.DUE);

    private final MailWorld world;
    private final WorldPlan plan;
    private final Path socket;
    private final JsonMapper json = JsonMapper.shared();
    /// Lanes by number of the domain, and since when.
    private final Map<Integer, Limit> limits = new HashMap<>();
    /// How many attempts of a message were known at the latest look.
    private final Map<String, Integer> attempts = new TreeMap<>();
    private final Map<FaultKind, Integer> inForce = new EnumMap<>(FaultKind.class);
    private final Map<FaultKind, Long> ended = new EnumMap<>(FaultKind.class);
    private long lookedNanos;

    private record Limit(int lanes, long sinceNanos) {}

    WorldOperator(MailWorld world, WorldPlan plan, Path home) {
        this.world = world;
        this.plan = plan;
        socket = home.resolve("run").resolve("admin.sock");
    }

    Optional<ApiClient.ApiReply> ask(String method, String resource) {
        try (ApiClient api = ApiClient.connect(socket, Duration.ofSeconds(60))) {
            return Optional.of(api.ask(method, resource));
        } catch (IOException failed) {
            world.tell("operator: " + failed);
            return Optional.empty();
        }
    }

    // ---- orders

    /// The lanes to a domain as an order has them, once it is in force.
    Optional<Integer> limit(int domain) {
        return Optional.ofNullable(limits.get(domain))
                .filter(each -> world.scheduler().now() - each.sinceNanos > LIMIT_SECONDS * SECOND)
                .map(Limit::lanes);
    }

    /// Gives an order, waits, and takes it back.
    void order(WorldFault fault) {
        int number = fault.strength() % (MailWorld.DOMAINS + 1);
        String domain = number == MailWorld.DOMAINS ? "here.example" : "d" + number + ".example";
        String why = "reason=world&author=world";
        switch (fault.kind()) {
            case FLUSH -> give("queue/flush" + (fault.strength() % 2 == 0 ? "" : "?domain=" + domain), GIVES);
            case HOLD -> during(fault, "queue/hold?" + why + "&domain=" + domain, "queue/release?domain=" + domain);
            case SUSPEND -> during(fault, "suspensions/suspend?" + why + "&kind=destination&name=" + domain,
                    "suspensions/resume?kind=destination&name=" + domain);
            case LIMIT -> limit(fault, number, domain);
            case DRAIN -> {
                String shard = "shards/" + (1 + fault.strength() % Math.max(2, plan.shape().shards()));
                during(fault, shard + "/drain", shard + "/enable");
            }
            default -> throw new IllegalArgumentException(fault.text());
        }
    }

    private void limit(WorldFault fault, int number, String domain) {
        String resource = "limits/limit?key=window:" + domain + "&number=";
        int lanes = number < 2 ? 1 : 1 + fault.strength() % 3;
        if (give(resource + lanes, GIVES)) {
            limits.put(number, new Limit(lanes, world.scheduler().now()));
        }
        LockSupport.parkNanos(fault.seconds() * SECOND);
        limits.remove(number);
        give(resource + "default", TAKES_BACK);
    }

    private void during(WorldFault fault, String order, String back) {
        inForce.merge(fault.kind(), 1, Integer::sum);
        give(order, GIVES);
        LockSupport.parkNanos(fault.seconds() * SECOND);
        if (give(back, TAKES_BACK)) {
            int left = inForce.merge(fault.kind(), -1, Integer::sum);
            if (fault.kind() == FaultKind.HOLD && left == 0) {
                // A message whose recipient in the domain was served in between is no longer of the domain.
                give(RELEASE_ALL, TAKES_BACK);
            }
            ended.put(fault.kind(), world.scheduler().now());
        }
    }

    /// No such order has been in force for a while, and none can have come into force late.
    private boolean isOver(FaultKind order) {
        return inForce.getOrDefault(order, 0) == 0 && !world.hasStopped()
                && world.scheduler().now() - ended.getOrDefault(order, 0L) > WAKE_UP_SECONDS * SECOND;
    }

    /// @return true when the order is in force
    private boolean give(String order, int most) {
        for (int i = 0; i < most; i++) {
            Optional<ApiClient.ApiReply> reply = ask("POST", order);
            world.tell("operator: " + order + " " + reply.map(each -> each.status() + " "
                    + each.body().lines().findFirst().orElse("")).orElse("?"));
            if (reply.filter(this::isWhole).isPresent()) {
                return reply.orElseThrow().status() < 300;
            }
            LockSupport.parkNanos(20 * SECOND);
        }
        return false;
    }

    /// An order whose answer was lost may have come into force after it was taken back.
    void takeAllBack() {
        if (plan.has(FaultKind.HOLD)) {
            give(RELEASE_ALL, TAKES_BACK);
        }
        if (plan.has(FaultKind.DRAIN)) {
            for (int shard = 1; shard <= Math.max(2, plan.shape().shards()); shard++) {
                give("shards/" + shard + "/enable", TAKES_BACK);
            }
        }
        for (int i = 0; i <= MailWorld.DOMAINS && plan.has(FaultKind.SUSPEND); i++) {
            give("suspensions/resume?kind=destination&name="
                    + (i == MailWorld.DOMAINS ? "here.example" : "d" + i + ".example"), TAKES_BACK);
        }
    }

    // ---- looks

    void look(Random random) {
        for (int i = 0; i < plan.shape().looks(); i++) {
            LockSupport.parkNanos((long) (random.nextDouble() * 3 * plan.minutes() * 60 / plan.shape().looks()
                    * SECOND));
            look();
        }
    }

    /// Looks whenever the last connection to a host has ended: mail that waits for an end then waits in vain.
    void lookWhenIdle() {
        long seen = -1;
        while (!world.isOver()) {
            LockSupport.parkNanos(IDLE_SECONDS * SECOND);
            long opened = world.network().opened();
            if (opened != seen && !world.hasOpenToHosts() && world.hasOutstanding()
                    && !world.isDisturbed(WAKE_UP_SECONDS)) {
                seen = opened;
                lookForLostWakeUps(queue());
            }
        }
    }

    private void look() {
        List<JsonNode> waiting = queue();
        if (world.isDisturbed((world.scheduler().now() - lookedNanos) / SECOND)) {
            attempts.clear();
        }
        lookedNanos = world.scheduler().now();
        for (JsonNode each : waiting) {
            judge(each);
        }
        lookForLostWakeUps(waiting);
        for (JsonNode each : waiting.subList(0, Math.min(5, waiting.size()))) {
            explain(each.path("id").asString());
        }
    }

    private List<JsonNode> queue() {
        return ask("GET", "queue?limit=100").filter(reply -> reply.status() == 200)
                .map(reply -> read(reply).path("messages").valueStream().toList()).orElse(List.of());
    }

    /// The queue as the API lists it has no message, and no shard is left out.
    boolean seesEmptyQueue() {
        return ask("GET", "queue?limit=1").filter(reply -> reply.status() == 200 && isWhole(reply))
                .filter(reply -> read(reply).path("messages").isEmpty()).isPresent();
    }

    /// The answer is that of all shards.
    private boolean isWhole(ApiClient.ApiReply reply) {
        return reply.status() < 500 && (reply.status() >= 300 || read(reply).path("faults").isEmpty());
    }

    private JsonNode read(ApiClient.ApiReply reply) {
        try {
            return json.readTree(reply.body());
        } catch (JacksonException wrong) {
            world.trouble("the API answers with something else than JSON: " + wrong.getMessage());
            return json.createObjectNode();
        }
    }

    /// Empty, and a trouble, when it has no name that is known.
    private Optional<Code> code(String text, String of) {
        try {
            return Optional.of(Code.valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_')));
        } catch (IllegalArgumentException unknown) {
            world.trouble(of + " waits for \"" + text + "\", which is no gate");
            return Optional.empty();
        }
    }

    private void judge(JsonNode message) {
        String id = message.path("id").asString();
        Optional<Code> code = code(message.path("phase").path("code").asString(), id);
        if (code.isEmpty() || plan.has(FaultKind.CLOCK) || world.isDisturbed(RECOVERY_SECONDS)) {
            return;
        }
        if (code.get() == Code.SUSPENDED && isOver(FaultKind.SUSPEND)
                || code.get() == Code.HELD && isOver(FaultKind.HOLD)) {
            world.trouble(id + " waits at the gate " + code.get() + ", and that order has ended");
        }
        Instant now = Instant.now();
        String next = message.path("nextAttempt").asString();
        if (FOR_A_TIME.contains(code.get()) && !next.isEmpty() && Instant.parse(next).plus(OVERDUE).isBefore(now)) {
            world.trouble(id + " has waited since its time, " + next + ", at the gate " + code.get());
        }
        String since = message.path("phase").path("since").asString();
        if (!code.get().isGate() && !since.isEmpty() && Instant.parse(since).plus(LONGEST_DELIVERY).isBefore(now)) {
            world.trouble(id + " is under way since " + since + " in the phase " + code.get());
        }
    }

    private static boolean waitsAt(JsonNode message, Set<Code> codes) {
        String code = message.path("phase").path("code").asString().toUpperCase(Locale.ROOT).replace('-', '_');
        return codes.stream().anyMatch(each -> each.name().equals(code));
    }

    /// A message waits for the end of a delivery, and there is none. That may be so for a moment.
    private void lookForLostWakeUps(List<JsonNode> waiting) {
        List<JsonNode> behind = waiting.stream().filter(each -> waitsAt(each, BEHIND_DELIVERIES)).toList();
        long opened = world.network().opened();
        if (behind.isEmpty() || world.hasOpenToHosts() || world.isDisturbed(WAKE_UP_SECONDS)) {
            return;
        }
        LockSupport.parkNanos(20 * SECOND);
        if (world.hasOpenToHosts() || world.isDisturbed(WAKE_UP_SECONDS) || world.network().opened() != opened) {
            return;
        }
        List<JsonNode> now = queue();
        if (now.stream().anyMatch(each -> waitsAt(each, Set.of(Code.CONNECTION)))) {
            // A delivery keeps its lane while it waits for a host that may be asked again.
            return;
        }
        for (JsonNode each : behind) {
            now.stream().filter(later -> later.path("id").equals(each.path("id"))
                    && later.path("phase").path("code").equals(each.path("phase").path("code"))).findFirst()
                    .ifPresent(still -> world.trouble(still.path("id").asString() + " could go and waits, at the gate "
                            + still.path("phase").path("code").asString() + ": " + still.path("why").asString()
                            + "; no delivery is under way"));
        }
    }

    private void explain(String id) {
        Optional<ApiClient.ApiReply> reply = ask("GET", "explain?message=" + id);
        if (reply.isEmpty() || reply.get().status() != 200) {
            return;
        }
        JsonNode why = read(reply.get());
        if (!why.path("reason").asString().isEmpty()) {
            code(why.path("reason").asString(), id);
        }
        int known = why.path("attempts").size();
        Integer before = attempts.put(id, known);
        if (before != null && known < before && before < KEPT_ATTEMPTS && !world.isDisturbed(RECOVERY_SECONDS)) {
            world.trouble("of " + before + " attempts of " + id + ", " + known + " are still known");
        }
    }
}
