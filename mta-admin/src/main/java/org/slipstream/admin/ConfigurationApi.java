package org.slipstream.admin;

import org.slipstream.admin.operations.ConfigurationOperations;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The resources `configuration` and `reload`. Settings may hold the password of a database, so both
/// require the greatest right.
final class ConfigurationApi {
    private final Optional<ConfigurationOperations> operations;

    /// @param operations empty: the server has fixed settings
    ConfigurationApi(Optional<ConfigurationOperations> operations) {
        this.operations = operations;
    }

    /// @param path begins with `configuration` or `reload`
    Optional<Api.Resource> find(List<String> path) {
        if (path.size() > 1) {
            return Optional.empty();
        }
        return Optional.of(path.getFirst().equals("reload")
                ? new Api.Resource(Set.of(Api.AUTHOR), Map.of("POST", Right.ADMINISTRATE.to(query -> operations
                        .map(each -> ApiResponse.ok(each.reload(query.get(Api.AUTHOR).orElse(""))))
                        .orElseGet(ConfigurationApi::fixed))))
                : new Api.Resource(Set.of(), Map.of("GET", Right.ADMINISTRATE.to(_ -> operations
                        .map(each -> ApiResponse.ok(each.settings())).orElseGet(ConfigurationApi::fixed)))));
    }

    private static ApiResponse fixed() {
        return ApiResponse.error(501, "the settings of this server are fixed");
    }
}
