package org.slipstream.smtpin.command;

/// An `esmtp-param` (RFC 5321 section 4.1.2), or an attribute of XCLIENT, which has the same
/// syntax.
///
/// @param keyword in upper case
/// @param value empty when there was none
public record Parameter(String keyword, String value) {}
