package org.slipstream.smtpin.policy;

/// A suspicion that travels with the message.
///
/// @param check who has it
public record Tag(String check, String text) {
    @Override
    public String toString() {
        return check + "=" + text;
    }
}
