package org.slipstream.settings;

import org.slipstream.core.DeclaredSetting;

/// One key of `mta.toml`: a declared setting with the form of its value.
public record Key(DeclaredSetting declared, Form<?> form) {
    public static final String HOSTNAME = "<hostname>";

    String section() {
        return declared.section();
    }

    public String name() {
        return declared.name();
    }

    public String dotted() {
        return declared.dotted();
    }

    public String doc() {
        return declared.setting().doc();
    }

    public boolean isExpert() {
        return declared.setting().expert();
    }

    /// @param hostname replaces the mark in defaults that depend on the server's name
    public Value defaultValue(String hostname) {
        return form.value(declared.setting().value().replace(HOSTNAME, hostname), SourcePlace.DEFAULT);
    }
}
