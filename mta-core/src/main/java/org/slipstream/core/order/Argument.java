package org.slipstream.core.order;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// One argument of an order, declared at the component that holds it. The component's name is that of the parameter of
/// the API and, behind `--`, of the option of the command.
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Argument {
    /// The sentences of the arguments that several verbs have.
    String AUTHOR = "who ordered it (default: you)";
    String UNTIL = "until when, such as 2026-01-31T18:00:00Z";
    String WHY_MAIL_WAITS = "the reason; shown with all mail that waits for it";
    String WHY = "the reason; `explain` tells it";

    /// The meaning, as in the help of a command.
    String value();

    /// The placeholder of the value in the help.
    String label() default "TEXT";

    /// True when the order makes no sense without it.
    boolean required() default false;

    /// True when the command takes it without the name of an option.
    boolean positional() default false;

    /// The smallest number.
    int min() default 0;

    /// The largest number, or the length of the longest text.
    int max() default 500;
}
