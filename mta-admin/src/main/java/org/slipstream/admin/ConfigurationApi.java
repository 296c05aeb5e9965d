package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.ConfigurationOperations;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;

import java.util.List;
import java.util.Optional;

/// The resources `configuration` and `reload`. Settings may hold the password of a database, so both
/// require the greatest right.
final class ConfigurationApi {
    private final Optional<ConfigurationOperations> operations;

    /// @param operations empty: the server has fixed settings
    ConfigurationApi(Optional<ConfigurationOperations> operations) {
        this.operations = operations;
    }

    List<ApiResource> resources() {
        return List.of(
                ApiResource.get("configuration", Right.ADMINISTRATE, "The settings in force.",
                        _ -> operations.map(each -> ApiResponse.ok(each.settings()))
                                .orElseGet(ConfigurationApi::fixed)),
                ApiResource.post("reload", Right.ADMINISTRATE, "Reads the settings again.",
                        List.of(ApiParameter.of(OrderForm.AUTHOR, "who ordered it")), query -> operations
                                .map(each -> ApiResponse.ok(each.reload(query.get(OrderForm.AUTHOR).orElse(""))))
                                .orElseGet(ConfigurationApi::fixed)));
    }

    private static ApiResponse fixed() {
        return ApiResponse.error(501, "the settings of this server are fixed");
    }
}
