package org.slipstream.core;

import java.lang.reflect.Type;

/// One component of a record of settings: its names, its type and its declaration.
///
/// @param section empty for settings before the first section
/// @param name the key within the section
/// @param restart the reason for which a change takes effect at the next start; empty: a reload puts
///     it into force
public record DeclaredSetting(String section, String name, Type type, Setting setting, String restart) {
    /// `limits.hops`.
    public String dotted() {
        return section.isEmpty() ? name : section + "." + name;
    }
}
