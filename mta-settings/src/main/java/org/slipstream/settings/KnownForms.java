package org.slipstream.settings;

/// The forms of values that [Forms] does not know, because they speak of a program's own matters.
///
/// Each of the methods throws an [IllegalStateException] for a form that is missing.
public interface KnownForms {
    /// The form with this name in [org.slipstream.core.Setting#form].
    Form<?> named(String name);

    Form<?> of(Class<?> type);

    /// The form of an `Optional` of this type.
    Form<?> optional(Class<?> type);
}
