package org.slipstream.admin;

/// The body of a response that is sent as it is.
///
/// @param type for the header `Content-Type`
record PlainText(String text, String type) {
    static final String JSON = "application/json";

    /// Metrics.
    static PlainText ofMetrics(String text) {
        return new PlainText(text, "text/plain; version=0.0.4; charset=utf-8");
    }
}
