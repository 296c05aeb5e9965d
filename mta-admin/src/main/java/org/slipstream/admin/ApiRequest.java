package org.slipstream.admin;

/// What a client asks for.
///
/// @param path decoded
/// @param query not decoded, without the question mark; empty when there is none
/// @param keepAlive the client wants to ask again over this connection
record ApiRequest(String method, String path, String query, boolean keepAlive) {}
