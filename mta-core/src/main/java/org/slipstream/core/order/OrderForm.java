package org.slipstream.core.order;

import org.slipstream.core.Route;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The form of an order: its verb and its arguments, as its record declares them, and the way from
/// texts to the record.
///
/// A wrong text is refused with a sentence that names valid ones. Bounds that one argument alone does not
/// tell are those of the record's constructor, whose exception has the sentence.
///
/// @param <T> the family
public final class OrderForm<T> {
    /// The author of an order. The API fills it in.
    public static final String AUTHOR = "author";
    private static final String DEFAULT = "default";

    private final Class<? extends T> type;
    private final Verb verb;
    private final List<OrderPart> parts;

    private OrderForm(Class<? extends T> type, Verb verb) {
        this.type = type;
        this.verb = verb;
        this.parts = Arrays.stream(type.getRecordComponents()).map(OrderForm::part).toList();
    }

    /// An argument of an order.
    ///
    /// @param name of the component, of the parameter, and of the option
    public record OrderPart(String name, Argument argument, Type type) {
        /// The words that it may be; empty for any text.
        public List<String> words() {
            return type instanceof Class<?> each && each.isEnum() ? wordsOf(each) : List.of();
        }

        /// True for a moment, which a command also takes as a duration.
        public boolean isMoment() {
            return type instanceof ParameterizedType optional && optional.getActualTypeArguments()[0] == Instant.class;
        }

        public boolean isFlag() {
            return type == boolean.class;
        }
    }

    /// The result of reading.
    public sealed interface OrderRead<T> {
        record Made<T>(T order) implements OrderRead<T> {}

        /// @param sentence the error, with valid forms
        record Wrong<T>(String name, String sentence) implements OrderRead<T> {}
    }

    /// The forms of a family, in the order of their declaration.
    public static <T> List<OrderForm<T>> of(Class<T> family) {
        List<OrderForm<T>> forms = new ArrayList<>();
        for (Class<?> member : family.getPermittedSubclasses()) {
            Optional.ofNullable(member.getAnnotation(Verb.class))
                    .ifPresent(verb -> forms.add(new OrderForm<>(member.asSubclass(family), verb)));
        }
        return forms;
    }

    /// The form of the verb with this word.
    public static <T> OrderForm<T> of(Class<T> family, String word) {
        return of(family).stream().filter(form -> form.word().equals(word)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such verb: " + word));
    }

    private static OrderPart part(RecordComponent component) {
        return new OrderPart(component.getName(), Objects.requireNonNull(component.getAnnotation(Argument.class)),
                component.getGenericType());
    }

    public Verb verb() {
        return verb;
    }

    public String word() {
        return verb.value();
    }

    public List<OrderPart> parts() {
        return parts;
    }

    /// The effect afterwards.
    ///
    /// @param first the first argument as text; empty when there is none
    public String did(String first) {
        return verb.did().formatted(first);
    }

    /// The word of an order; empty for one that operators do not give.
    public static Optional<String> did(Record order) {
        return Optional.ofNullable(order.getClass().getAnnotation(Verb.class)).map(Verb::did);
    }

    // ---- reading

    /// @param texts of the arguments by name; others are ignored
    /// @param nextHops reads a next hop; an `IllegalArgumentException` has the sentence for a wrong one
    public OrderRead<T> read(Map<String, String> texts, Function<String, Route> nextHops) {
        Object[] values = new Object[parts.size()];
        for (int i = 0; i < values.length; i++) {
            OrderPart part = parts.get(i);
            Optional<String> text = Optional.ofNullable(texts.get(part.name()));
            if (part.argument().required() && text.filter(each -> !each.isBlank()).isEmpty()) {
                return new OrderRead.Wrong<>(part.name(), "missing parameter: " + part.name() + ", "
                        + part.argument().value());
            }
            try {
                values[i] = value(part, text, nextHops);
            } catch (IllegalArgumentException wrong) {
                return new OrderRead.Wrong<>(part.name(), String.valueOf(wrong.getMessage()));
            }
        }
        return made(values);
    }

    private OrderRead<T> made(Object[] values) {
        try {
            return new OrderRead.Made<>(type.getDeclaredConstructor(Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getType).toArray(Class<?>[]::new)).newInstance(values));
        } catch (InvocationTargetException refused) {
            return new OrderRead.Wrong<>("", String.valueOf(Objects.requireNonNull(refused.getCause()).getMessage()));
        } catch (ReflectiveOperationException unforeseen) {
            throw new IllegalStateException(type + " cannot be made", unforeseen);
        }
    }

    private static Object value(OrderPart part, Optional<String> text, Function<String, Route> nextHops) {
        if (part.type() == String.class) {
            return text(part, text.orElse(""));
        } else if (part.type() == int.class) {
            return number(part, text.orElse("").strip());
        } else if (part.isFlag()) {
            return flag(part, text.orElse("false"));
        } else if (part.isMoment()) {
            return text.map(each -> moment(part, each));
        } else if (part.type() instanceof Class<?> type && type.isEnum()) {
            return text.isEmpty() && !part.argument().required()
                    ? type.getEnumConstants()[0]
                    : constant(type, part, text.orElse(""));
        }
        String nextHop = text.orElse("").strip();
        return nextHop.equalsIgnoreCase(DEFAULT) ? Optional.empty() : Optional.of(nextHops.apply(nextHop));
    }

    private static String text(OrderPart part, String text) {
        if (text.length() > part.argument().max()) {
            throw new IllegalArgumentException(part.name() + " has at most " + part.argument().max() + " characters");
        }
        return text;
    }

    private static int number(OrderPart part, String text) {
        try {
            int number = Integer.parseInt(text);
            if (number >= part.argument().min() && number <= part.argument().max()) {
                return number;
            }
        } catch (NumberFormatException noNumber) {
            // Refused below.
        }
        throw new IllegalArgumentException(
                "\"" + text + "\" is not a " + part.argument().label().toLowerCase(Locale.ROOT)
                        + "; use a number from " + part.argument().min() + " to " + part.argument().max());
    }

    private static boolean flag(OrderPart part, String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(part.name() + " is neither true nor false");
        };
    }

    private static Instant moment(OrderPart part, String text) {
        try {
            Instant moment = Instant.parse(text);
            moment.toEpochMilli();
            return moment;
        } catch (DateTimeException | ArithmeticException none) {
            throw new IllegalArgumentException(part.name() + " is not a time such as 2026-01-31T18:00:00Z", none);
        }
    }

    private static Object constant(Class<?> type, OrderPart part, String text) {
        return Arrays.stream(type.getEnumConstants()).filter(each -> word(each).equals(text.toLowerCase(Locale.ROOT)))
                .findFirst().orElseThrow(() -> new IllegalArgumentException(
                        part.name() + " is none of " + String.join(", ", wordsOf(type))));
    }

    private static List<String> wordsOf(Class<?> type) {
        return Arrays.stream(type.getEnumConstants()).map(OrderForm::word).collect(Collectors.toList());
    }

    private static String word(Object constant) {
        return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
