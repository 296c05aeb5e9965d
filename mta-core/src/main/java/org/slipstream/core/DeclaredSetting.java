package org.slipstream.core;

import java.lang.reflect.Type;

/// One component of a record of settings: its names, its type and its declaration.
///
/// @param section empty for settings before the first section
/// @param name the key within the section
public record DeclaredSetting(String section, String name, Type type, Setting setting) {
    /// `limits.hops`.
    public String dotted() {
        return section.isEmpty() ? name : section + "." + name;
    }
}
