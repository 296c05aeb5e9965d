package org.slipstream.admin;

/// The body of a response that is text and not JSON.
record PlainText(String text) {}
