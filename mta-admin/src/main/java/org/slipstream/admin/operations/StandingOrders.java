package org.slipstream.admin.operations;

import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Orders that stay in force, as the API uses them: suspensions, the freeze, and limits. Called on HTTP threads.
///
/// Each order is on disk before it is answered, so it survives a restart.
public interface StandingOrders {
    /// The most suspensions, and the most limits. Each change of one goes through all of them.
    int MOST = 1_000;

    /// All in force, the freeze first.
    List<SuspensionView> suspensions() throws IOException;

    /// The limits that operators have set.
    List<LimitView> limits() throws IOException;

    /// The reason why the order has no meaning here; empty when it can be carried out.
    Optional<String> refusal(StandingOrder order);

    /// Puts an order into force, in place of an earlier one of its kind and name.
    void begin(StandingOrder order) throws IOException;

    /// False when there is no such order.
    boolean end(String kind, String name) throws IOException;

    /// @param scope `destination`, `provider`, `sender`, `transport`, `host` or `everything`
    /// @param name empty for everything
    /// @param since ISO 8601 in UTC
    /// @param until the same; empty: until it is resumed
    record SuspensionView(String scope, String name, String reason, String author, String since, String until) {
        public static SuspensionView of(Suspension suspension) {
            return new SuspensionView(suspension.scope().word(), suspension.name(), suspension.why(),
                    suspension.author(), moment(suspension.sinceMillis()), moment(suspension.untilMillis()));
        }
    }

    /// @param limit the key, such as `window:far.example`
    /// @param number of connections; of a rate `100/1h`
    /// @param since ISO 8601 in UTC
    /// @param until the same; empty: until it is `default` again
    record LimitView(String limit, String number, String reason, String author, String since, String until) {
        public static LimitView of(LimitOrder order) {
            return new LimitView(order.name(), order.value(), order.why(), order.author(),
                    moment(order.sinceMillis()), moment(order.untilMillis()));
        }
    }

    private static String moment(long millis) {
        return millis == Long.MAX_VALUE ? "" : Instant.ofEpochMilli(millis).toString();
    }
}
