package org.slipstream.guard.policy;

/// The form that a header must have.
public enum HeaderStrictness {
    ANY,
    /// No two From fields and the like.
    UNAMBIGUOUS,
    /// That, and at least one From.
    WITH_FROM
}
