package org.slipstream.auth.arc;

/// The results for ARC in the field Authentication-Results (RFC 8617 section 4.4). There is no
/// temporary one: a chain with a key that DNS does not give now fails (section 5.2.1).
public enum ArcVerdict {
    NONE, PASS, FAIL
}
