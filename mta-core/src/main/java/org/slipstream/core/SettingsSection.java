package org.slipstream.core;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The section of `mta.toml` that a record of settings is.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface SettingsSection {
    /// Empty for the lines before the first section.
    String value();

    /// The reason for which changes of all settings of this record take effect at the next start.
    /// Empty: a reload puts them into force.
    String restart() default "";
}
