package org.slipstream.admin;

import java.util.Optional;

/// An HTTP request of a client.
///
/// @param path decoded
/// @param query not decoded, without the question mark; empty when there is none
/// @param token of the header `Authorization: Bearer` (RFC 6750); empty without one
/// @param keepAlive true when the client keeps the connection open
record ApiRequest(String method, String path, String query, Optional<String> token, boolean keepAlive) {}
