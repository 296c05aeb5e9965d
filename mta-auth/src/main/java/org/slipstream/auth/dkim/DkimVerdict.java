package org.slipstream.auth.dkim;

/// The results for DKIM in the field Authentication-Results, without *none*, which is an empty list
/// of signatures.
public enum DkimVerdict {
    PASS,
    /// The signature is well-formed, and the message is another one.
    FAIL,
    /// The signature may be good; this verifier does not know its version, its algorithm or its form.
    NEUTRAL,
    /// The signature is good, and leaves octets unsigned that a reader would see.
    POLICY,
    /// The key cannot be had now.
    TEMPERROR,
    /// The signature or its key cannot be right.
    PERMERROR
}
