package org.slipstream.smtpin.command;

/// An `esmtp-param` (RFC 5321 section 4.1.2).
///
/// @param keyword in upper case
/// @param value empty when there was none
record Parameter(String keyword, String value) {}
