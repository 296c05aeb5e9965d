package org.slipstream.console;

/// A request for a page.
///
/// @param rest of the path behind the name of the page, decoded; empty when there is none
/// @param uri path and query as the browser sent them
record PageRequest(String rest, FormText query, String uri, Asking api, Visitor visitor) {}
