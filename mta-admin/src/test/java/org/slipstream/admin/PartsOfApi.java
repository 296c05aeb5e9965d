package org.slipstream.admin;

import org.slipstream.admin.operations.EventOperations;
import org.slipstream.admin.operations.FilmOperations;
import org.slipstream.admin.operations.ServerLog;
import org.slipstream.admin.operations.ShardOperations;

import java.util.Optional;

/// An API with one further part.
final class PartsOfApi {
    private PartsOfApi() {}

    static ApiParts shards(Optional<ShardOperations> shards) {
        return of(shards, Optional.empty(), Optional.empty(), "");
    }

    static ApiParts events(Optional<EventOperations> events) {
        return of(Optional.empty(), events, Optional.empty(), "");
    }

    static ApiParts films(FilmOperations films) {
        return of(Optional.empty(), Optional.empty(), Optional.of(films), "");
    }

    static ApiParts metrics(String text) {
        return of(Optional.empty(), Optional.empty(), Optional.empty(), text);
    }

    private static ApiParts of(Optional<ShardOperations> shards, Optional<EventOperations> events,
            Optional<FilmOperations> films, String metrics) {
        return new ApiParts(shards, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), events,
                Optional.empty(), Optional.empty(),
                films,
                ServerLog.NONE, () -> metrics);
    }
}
