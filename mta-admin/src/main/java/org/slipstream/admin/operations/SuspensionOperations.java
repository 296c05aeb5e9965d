package org.slipstream.admin.operations;

import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Suspensions and the freeze as the API uses them. Called on HTTP threads.
///
/// Each order is on disk before it is answered, so it survives a restart.
public interface SuspensionOperations {
    /// All in force, the freeze first.
    List<SuspensionView> suspensions() throws IOException;

    /// The reason why mail of this name cannot be suspended; empty when it can.
    Optional<String> refusal(SuspensionScope scope, String name);

    void suspend(Suspension suspension) throws IOException;

    /// False when there is no such suspension.
    boolean resume(SuspensionScope scope, String name) throws IOException;

    /// @param scope `destination`, `sender`, `transport`, `host` or `everything`
    /// @param name empty for everything
    /// @param since ISO 8601 in UTC
    /// @param until the same; empty: until it is resumed
    record SuspensionView(String scope, String name, String reason, String author, String since, String until) {
        public static SuspensionView of(Suspension suspension) {
            return new SuspensionView(suspension.scope().word(), suspension.name(), suspension.why(),
                    suspension.author(), Instant.ofEpochMilli(suspension.sinceMillis()).toString(),
                    suspension.isEndless() ? "" : Instant.ofEpochMilli(suspension.untilMillis()).toString());
        }
    }
}
