package org.slipstream.guard.zone;

/// A file that a web server should serve for a domain.
///
/// @param name in a folder
/// @param url where others look for it
public record WebFile(String name, String url, String text) {}
