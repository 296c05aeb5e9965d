package org.slipstream.admin;

/// An HTTP request of a client.
///
/// @param path decoded
/// @param query not decoded, without the question mark; empty when there is none
/// @param keepAlive true when the client keeps the connection open
record ApiRequest(String method, String path, String query, boolean keepAlive) {}
