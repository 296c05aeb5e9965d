package org.slipstream.smtpin.policy;

/// A remark of a check that travels with the message.
///
/// @param check that set the tag
public record Tag(String check, String text) {
    @Override
    public String toString() {
        return check + "=" + text;
    }
}
