package org.slipstream.admin.operations;

import java.util.List;

/// The latest events of the server itself, as its log has them. Called on HTTP threads.
@FunctionalInterface
public interface ServerLog {
    /// A server whose log is kept by another program.
    ServerLog NONE = List::of;

    /// Starts, reloads, orders of operators and troubles, the latest first; a bounded number. A line about
    /// one message or one session is among them only when it is a warning.
    List<ServerEvent> events();

    /// @param at ISO 8601 in UTC
    /// @param level `info`, `warn` or `error`
    /// @param event its name in the log, such as `operator-request`; empty when the line has none
    /// @param text the line of the log without level and name, at most 600 characters
    record ServerEvent(String at, String level, String event, String text) {}
}
