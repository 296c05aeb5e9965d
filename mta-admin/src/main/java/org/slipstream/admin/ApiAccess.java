package org.slipstream.admin;

/// The API for a caller in this process: with the same rights, bounds and lines of the log as on the
/// socket.
@FunctionalInterface
public interface ApiAccess {
    /// @param path behind `/api/v1/`, decoded
    /// @param query as in a URI
    ApiResponse ask(String method, String path, String query, ApiCaller caller);
}
