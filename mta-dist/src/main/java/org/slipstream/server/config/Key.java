package org.slipstream.server.config;

import org.slipstream.core.DeclaredSetting;

/// One key of `mta.toml`: a declared setting with the form of its value.
record Key(DeclaredSetting declared, Form<?> form) {
    static final String HOSTNAME = "<hostname>";

    String section() {
        return declared.section();
    }

    String name() {
        return declared.name();
    }

    String dotted() {
        return declared.dotted();
    }

    String doc() {
        return declared.setting().doc();
    }

    /// @param hostname replaces the mark in defaults that depend on the server's name
    Value defaultValue(String hostname) {
        return form.value(declared.setting().value().replace(HOSTNAME, hostname), SourcePlace.DEFAULT);
    }
}
