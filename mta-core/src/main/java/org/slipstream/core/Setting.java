package org.slipstream.core;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// One setting of `mta.toml`, declared at the record component that holds its value.
///
/// The declaration is the only source. The reader of the file, `--set`, the file that the first
/// start writes, `mta check` and `docs/configuration.md` all use it, so a new setting is one new
/// component. A value is found by its key and never by its position, so the order of components
/// means nothing.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
    /// The default, as it stands after `--set key=`. `<hostname>` is replaced by the server's name.
    String value();

    /// The meaning, for operators: sentences in Markdown without line ends.
    String doc();

    /// The name within the section. Empty: the component's name in kebab-case.
    String key() default "";

    /// The section. Empty: that of the record, see [SettingsSection].
    String section() default "";

    /// The smallest value. Empty: zero.
    String min() default "";

    /// The largest value. Empty: 2147483647 for a count, ten years for a time, no bound for a size.
    String max() default "";

    /// The word that stands for an empty `Optional`: `auto`, `never`, `off`.
    String none() default "";

    /// The words that a text may be. Empty: any.
    String[] oneOf() default {};

    /// The name of the form of a text, where its type does not tell: `domain`, `mailbox`.
    String form() default "";

    /// True for a constant of a theory, which few operators ever change: it is not in the file that the
    /// first start writes, and it stands in a part of its own in the reference.
    boolean expert() default false;

    /// The reason for which a change takes effect at the next start, a clause. Empty: that of the
    /// record ([SettingsSection#restart]), or a reload puts the change into force.
    String restart() default "";
}
