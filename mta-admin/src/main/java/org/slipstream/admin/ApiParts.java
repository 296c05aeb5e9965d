package org.slipstream.admin;

import org.slipstream.admin.operations.AccountOperations;
import org.slipstream.admin.operations.ConfigurationOperations;
import org.slipstream.admin.operations.ConsoleOperations;
import org.slipstream.admin.operations.EventOperations;
import org.slipstream.admin.operations.FilmOperations;
import org.slipstream.admin.operations.ServerLog;
import org.slipstream.admin.operations.ShapingOperations;
import org.slipstream.admin.operations.ShardOperations;
import org.slipstream.admin.operations.SourceOperations;
import org.slipstream.admin.operations.SuppressionOperations;
import org.slipstream.admin.operations.WebhookOperations;

import java.util.Optional;
import java.util.function.Supplier;

/// The parts of the API that not every server has. A request to one that is missing is answered with 501.
///
/// @param log the latest events of the server itself
/// @param metrics in the text format of Prometheus
public record ApiParts(Optional<ShardOperations> shards, Optional<ConfigurationOperations> configuration,
        Optional<ConsoleOperations> console, Optional<SuppressionOperations> suppressions,
        Optional<AccountOperations> accounts, Optional<SourceOperations> sources, Optional<EventOperations> events,
        Optional<WebhookOperations> webhooks, Optional<ShapingOperations> shaping, Optional<FilmOperations> films,
        ServerLog log,
        Supplier<String> metrics) {
    public static final ApiParts NONE = new ApiParts(Optional.empty(), Optional.empty(), Optional.empty(),
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
            Optional.empty(),
            ServerLog.NONE,
            () -> "");
}
