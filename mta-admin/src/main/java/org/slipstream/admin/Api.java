package org.slipstream.admin;

import org.slipstream.admin.operations.ConfigurationOperations;
import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.ShardOperations;
import org.slipstream.admin.operations.SuspensionOperations;
import org.slipstream.core.Address;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The resources under `/api/v1` and their methods; independent of HTTP except for method, path and
/// query.
///
/// | Path | Methods |
/// |---|---|
/// | `status` | GET |
/// | `queue?FILTER&after=&limit=` | GET |
/// | `queue/count?FILTER&after=` | GET |
/// | `queue/delete?FILTER&after=&limit=&dry-run=`, `hold`, `release`, `flush`; `all=true` without a filter | POST |
/// | `queue/flush`, `queue/flush?domain=` | POST |
/// | `queue/{id}` | GET, DELETE |
/// | `queue/{id}/flush`, `hold`, `release` | POST |
/// | `explain?message=`, `explain?destination=`, `explain?host=`, `explain?sender=` | GET |
/// | `queue/{id}/content` (message/rfc822, not JSON) | GET |
/// | `trace?of=&limit=` | GET |
/// | `queue/shape?by=&after=&shard=` | GET |
/// | `destinations`, `metrics` (text, not JSON) | GET |
/// | `verify?address=` | POST |
/// | `destdb` | GET |
/// | `destdb/host?name=` | GET |
/// | `destdb/forget?name=`, `destdb/resume?name=` | POST |
/// | `destdb/suspend?name=&reason=&author=&until=` | POST |
/// | `suspensions` | GET |
/// | `suspensions/suspend?kind=&name=&reason=&author=&until=` | POST |
/// | `suspensions/resume?kind=&name=&author=` | POST |
/// | `freeze?reason=&author=&until=`, `thaw?author=` | POST |
/// | `configuration` | GET |
/// | `reload` | POST |
/// | `shards` | GET |
/// | `shards/add`, `shards/{number}/drain?force=`, `enable`, `disable?force=`, `load?local=&remote=` | POST |
///
/// FILTER: see [FilterText], and `shard=` with the number of a shard. A response with `next` covers
/// a part of the queue; the same request with that value as `after` covers the next part.
final class Api {
    static final String ROOT = "/api/v1/";
    static final String AUTHOR = "author";

    private final Operations operations;
    private final ExplainApi explain;
    private final QueueApi queue;
    private final HostApi hosts;
    private final TraceApi trace;
    private final ViewApi views;
    private final SuspensionApi suspensions;
    private final ShardApi shards;
    private final ConfigurationApi configuration;

    Api(Operations operations, HostOperations hosts, SuspensionOperations suspensions,
            Optional<ShardOperations> shards, Optional<ConfigurationOperations> configuration) {
        this.configuration = new ConfigurationApi(configuration);
        this.operations = operations;
        this.explain = new ExplainApi(operations);
        this.queue = new QueueApi(operations);
        this.hosts = new HostApi(hosts);
        this.trace = new TraceApi(operations);
        this.views = new ViewApi(operations);
        this.suspensions = new SuspensionApi(suspensions, hosts, System::currentTimeMillis);
        this.shards = new ShardApi(shards);
    }

    ApiResponse answer(String method, String path, String rawQuery, ApiCaller caller) throws IOException {
        Optional<Resource> resource = path.startsWith(ROOT)
                ? find(Arrays.asList(path.substring(ROOT.length()).split("/", -1)))
                : Optional.empty();
        if (resource.isEmpty()) {
            return ApiResponse.notFound("no such resource: " + path);
        }
        PermittedAction action = resource.get().actions().get(method);
        if (action == null) {
            return ApiResponse.methodNotAllowed(method, resource.get().actions().keySet().stream().sorted().toList());
        }
        Optional<Query> query = Query.parse(rawQuery);
        Right right = query.filter(SuspensionApi::isOfATransport).map(_ -> Right.ADMINISTRATE).orElse(action.right());
        if (!caller.right().includes(right)) {
            return ApiResponse.error(403, caller.name() + " has the right to " + caller.right().word() + ", and "
                    + method + " " + path.substring(ROOT.length()) + " requires the right to " + right.word());
        }
        if (query.isEmpty()) {
            return ApiResponse.badRequest("malformed query: " + rawQuery);
        }
        Optional<String> unknown = query.get().unknown(resource.get().parameters());
        if (unknown.isPresent()) {
            return new ApiResponse(400, Map.of("error", "unknown parameter " + unknown.get() + "; known parameters: "
                    + String.join(", ", resource.get().parameters().stream().sorted().toList()), "parameter",
                    unknown.get()), Map.of());
        }
        Optional<String> unfit = method.equals("GET") ? Optional.empty() : query.get().unfit();
        if (unfit.isPresent()) {
            return ApiResponse.badRequest(unfit.get());
        }
        return action.action().apply(resource.get().parameters().contains(AUTHOR)
                ? query.get().with(AUTHOR, caller.author(query.get().get(AUTHOR)))
                : query.get());
    }

    private ApiResponse verify(Query query) throws IOException {
        Optional<Address> address = query.get("address").flatMap(Address::parse);
        if (address.isEmpty()) {
            return ApiResponse.badRequest("missing parameter: ?address=user@example.org");
        }
        return operations.verify(address.get()).map(ApiResponse::ok)
                .orElseGet(() -> ApiResponse.error(501, "address verification is not available"));
    }

    @FunctionalInterface
    interface ApiAction {
        ApiResponse apply(Query query) throws IOException;
    }

    /// An action with the right that it requires; [Right#to] makes it.
    record PermittedAction(Right right, ApiAction action) {}

    record Resource(Set<String> parameters, Map<String, PermittedAction> actions) {}

    Optional<Resource> find(List<String> path) {
        return switch (path.getFirst()) {
            case "status" -> path.size() == 1
                    ? Optional.of(new Resource(Set.of(),
                            Map.of("GET", Right.READ.to(_ -> ApiResponse.ok(operations.status())))))
                    : Optional.empty();
            case "verify" -> path.size() == 1
                    ? Optional.of(new Resource(Set.of("address"), Map.of("POST", Right.OPERATE.to(this::verify))))
                    : Optional.empty();
            case "explain" -> explain.find(path);
            case "queue" -> views.find(path).or(() -> queue.find(path));
            case "destinations", "metrics" -> views.find(path);
            case "trace" -> trace.find(path);
            case "destdb" -> hosts.find(path);
            case "suspensions", "freeze", "thaw" -> suspensions.find(path);
            case "shards" -> shards.find(path);
            case "configuration", "reload" -> configuration.find(path);
            default -> Optional.empty();
        };
    }
}
