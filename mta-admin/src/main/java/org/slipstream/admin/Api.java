package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.core.Address;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The API under `/api/v1`: requests to [ApiResource]s, independent of HTTP except for method, path and query.
///
/// `openapi.json` describes all of it. A response with `next` covers a part of the queue; the same request with that
/// value as `after` covers the next part.
final class Api {
    static final String ROOT = "/api/v1/";

    private final List<ApiResource> resources = new ArrayList<>();

    Api(Operations operations, HostOperations hosts, StandingOrders suspensions, ApiParts further) {
        resources.add(ApiResource.get("status", Right.READ, "The state of the server.",
                _ -> ApiResponse.ok(operations.status())));
        resources.add(ApiResource.post("verify", Right.OPERATE, "Asks a host whether it accepts mail for an address.",
                List.of(ApiParameter.of("address", "such as ann@example.org").needed()),
                query -> verify(operations, query)));
        resources.addAll(new ExplainApi(operations).resources());
        resources.addAll(new QueueApi(operations).resources());
        resources.add(ApiResource.get("metrics", Right.READ, "Figures as text for Prometheus, not JSON.",
                _ -> ApiResponse.ok(PlainText.ofMetrics(further.metrics().get()))));
        resources.addAll(new ViewApi(operations).resources());
        resources.addAll(new TraceApi(operations).resources());
        resources.addAll(new EventsApi(further.events()).resources());
        resources.addAll(new WebhookApi(further.webhooks()).resources());
        resources.add(new ServerLogApi(further.log()).resource());
        resources.addAll(new HostApi(hosts).resources());
        resources.addAll(new SuspensionApi(suspensions, hosts, System::currentTimeMillis).resources());
        resources.addAll(new LimitApi(suspensions, hosts, System::currentTimeMillis).resources());
        resources.addAll(new ShapingApi(further.shaping()).resources());
        resources.addAll(new SuppressionListApi(further.suppressions()).resources());
        resources.addAll(new AccountApi(further.accounts(), operations).resources());
        resources.addAll(new SourceApi(further.sources()).resources());
        resources.addAll(new ShardApi(further.shards()).resources());
        resources.addAll(new ConfigurationApi(further.configuration()).resources());
        resources.add(new ConsoleApi(further.console()).resource());
        resources.addAll(new FilmApi(further.films()).resources());
        resources.add(ApiResource.get("openapi.json", Right.READ, "This description.",
                _ -> ApiResponse.ok(OpenApi.description(resources))));
    }

    List<ApiResource> resources() {
        return Collections.unmodifiableList(resources);
    }

    ApiResponse answer(String method, String path, String rawQuery, ApiCaller caller) throws IOException {
        List<String> words = path.startsWith(ROOT)
                ? Arrays.asList(path.substring(ROOT.length()).split("/", -1))
                : List.of();
        List<ApiResource> here = find(words);
        if (here.isEmpty()) {
            return ApiResponse.notFound("no such resource: " + path);
        }
        Optional<ApiResource> found = here.stream().filter(each -> each.method().equals(method)).findFirst();
        if (found.isEmpty()) {
            return ApiResponse.methodNotAllowed(method, here.stream().map(ApiResource::method).sorted().toList());
        }
        ApiResource resource = found.get();
        Optional<Query> query = Query.parse(rawQuery);
        Right right = query.filter(SuspensionApi::isOfATransport).map(_ -> Right.ADMINISTRATE).orElse(resource.right());
        if (!caller.right().includes(right)) {
            return ApiResponse.error(403, caller.name() + " has the right to " + caller.right().word() + ", and "
                    + method + " " + path.substring(ROOT.length()) + " requires the right to " + right.word());
        }
        if (query.isEmpty()) {
            return ApiResponse.badRequest("malformed query: " + rawQuery);
        }
        Optional<String> unknown = query.get().unknown(resource.names());
        if (unknown.isPresent()) {
            return ApiResponse.wrongParameter(unknown.get(), "unknown parameter " + unknown.get()
                    + "; known parameters: " + String.join(", ", resource.names().stream().sorted().toList()));
        }
        Optional<String> unfit = method.equals("GET") ? Optional.empty() : query.get().unfit();
        if (unfit.isPresent()) {
            return ApiResponse.badRequest(unfit.get());
        }
        Query whole = query.get().with(resource.variables(words).orElseThrow());
        return resource.action().apply(resource.names().contains(OrderForm.AUTHOR)
                ? whole.with(Map.of(OrderForm.AUTHOR, caller.author(query.get().get(OrderForm.AUTHOR))))
                : whole);
    }

    /// The methods of the resource with this path. A word of its own comes before a variable.
    private List<ApiResource> find(List<String> words) {
        List<ApiResource> fitting = resources.stream().filter(each -> each.variables(words).isPresent()).toList();
        int least = fitting.stream().mapToInt(ApiResource::openness).min().orElse(0);
        return fitting.stream().filter(each -> each.openness() == least).toList();
    }

    private static ApiResponse verify(Operations operations, Query query) throws IOException {
        Optional<Address> address = query.get("address").flatMap(Address::parse);
        if (address.isEmpty()) {
            return ApiResponse.badRequest("missing parameter: ?address=user@example.org");
        }
        return operations.verify(address.get()).map(ApiResponse::ok)
                .orElseGet(() -> ApiResponse.error(501, "address verification is not available"));
    }
}
