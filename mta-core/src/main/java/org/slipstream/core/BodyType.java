package org.slipstream.core;

/// The declared type of a content: the BODY parameter of MAIL (RFC 6152, RFC 3030).
public enum BodyType {
    SEVEN_BIT, EIGHT_BIT_MIME, BINARY_MIME
}
