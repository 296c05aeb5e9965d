package org.slipstream.core.order;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The verb of an order, declared at its record.
///
/// The declaration is the only source, as [org.slipstream.core.Setting] is for a setting: the command with its help and
/// manual page, the resource of the API and its description follow from it ([OrderForm]). So a new verb is one new
/// record, and the code that carries it out.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Verb {
    /// The word of the command and of the resource.
    String value();

    Right right();

    /// The effect, as the first sentence of the help.
    String does();

    /// Further sentences of the help.
    String more() default "";

    /// The effect afterwards, behind a number of messages or the name of a host: `held`. `%s` is the first argument.
    String did();

    /// The consequence of an order for the whole queue, which then has to be confirmed: `deletes the whole queue`.
    String ofAll() default "";

    /// Examples of the command, without `mta`.
    String[] examples();
}
