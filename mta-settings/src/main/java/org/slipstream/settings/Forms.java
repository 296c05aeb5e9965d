package org.slipstream.settings;

import org.slipstream.core.DataSize;
import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.Units;
import org.slipstream.core.text.Nearest;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/// The general forms of values: amounts, choices, lists. [KnownForms] has those that a
/// program adds.
public final class Forms {
    private static final Duration LONGEST = Duration.ofDays(3_650);
    /// A folder of this name would be made, which is not what the operator means.
    private static final String SHELL_HOME = "~";

    private Forms() {}

    /// The form of a declared setting, by its type and, where the type says too little, by its
    /// name.
    public static Form<?> of(Type type, Setting setting, KnownForms forms) {
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            return listOf(of(list.getActualTypeArguments()[0], setting, forms));
        }
        if (!setting.form().isEmpty()) {
            return forms.named(setting.form());
        }
        return type instanceof ParameterizedType optional
                ? optional((Class<?>) optional.getActualTypeArguments()[0], setting, forms)
                : single((Class<?>) type, setting, forms);
    }

    private static Form<?> optional(Class<?> type, Setting setting, KnownForms forms) {
        return type == Duration.class || type == DataSize.class || type == Integer.class
                ? or(setting.none(), single(type, setting, forms))
                : forms.optional(type);
    }

    private static Form<?> single(Class<?> type, Setting setting, KnownForms forms) {
        if (type == boolean.class) {
            return flag();
        }
        if (type == int.class || type == Integer.class) {
            return count(bound(setting.min(), Integer::parseInt, 0),
                    bound(setting.max(), Integer::parseInt, Integer.MAX_VALUE));
        }
        if (type == Duration.class) {
            return duration(bound(setting.min(), Forms::duration, Duration.ZERO),
                    bound(setting.max(), Forms::duration, LONGEST));
        }
        if (type == DataSize.class) {
            return size(bound(setting.min(), Forms::size, DataSize.ZERO),
                    bound(setting.max(), Forms::size, DataSize.of(Long.MAX_VALUE)));
        }
        if (type.isEnum()) {
            return named(Arrays.stream(type.getEnumConstants())
                    .collect(Collectors.toMap(each -> SettingsRecords.word((Enum<?>) each), each -> each)));
        }
        return setting.oneOf().length > 0 ? choice(List.of(setting.oneOf())) : forms.of(type);
    }

    private static <T> T bound(String text, Function<String, T> read, T otherwise) {
        return text.isEmpty() ? otherwise : read.apply(text);
    }

    private static Duration duration(String text) {
        return Duration.ofMillis(Units.DURATIONS.parse(text).orElseThrow());
    }

    private static DataSize size(String text) {
        return DataSize.parse(text).orElseThrow();
    }

    /// A text with a meaning.
    ///
    /// @param parse empty when the text has none
    public static <T> Form<T> text(String words, Function<String, Optional<T>> parse) {
        return new TextForm<>(words, parse);
    }

    static Form<Integer> count(int least, int most) {
        return new CountForm(least, most);
    }

    static Form<Duration> duration(Duration least, Duration most) {
        return new AmountForm<>("a duration such as \"250ms\", \"300s\", \"5m\", \"4h\" or \"5d\"", Units.DURATIONS,
                least.toMillis(), most.toMillis(), false, Duration::ofMillis);
    }

    static Form<DataSize> size(DataSize least, DataSize most) {
        return new AmountForm<>("a size such as \"128KiB\", \"25MiB\" or \"64MB\", or a number of bytes", Units.SIZES,
                least.bytes(), most.bytes(), true, DataSize::of);
    }

    /// An amount, or a word such as `auto` or `never`, which is empty.
    static <T> Form<Optional<T>> or(String word, Form<T> amount) {
        return new WordOrAmount<>(word, amount);
    }

    static Form<Boolean> flag() {
        return new FlagForm();
    }

    static Form<String> choice(List<String> choices) {
        return new ChoiceForm(choices);
    }

    /// One of a few words, each with a meaning.
    static <T> Form<T> named(Map<String, T> meanings) {
        return new NamedForm<>(new ChoiceForm(meanings.keySet().stream().sorted().toList()), Map.copyOf(meanings));
    }

    public static <T> Form<List<T>> listOf(Form<T> item) {
        return new ListForm<>(item);
    }

    /// The name of a file, which is not yet complete.
    public static Optional<Path> path(String text) {
        try {
            return Optional.of(text).filter(given -> !given.startsWith(SHELL_HOME)).map(Path::of);
        } catch (InvalidPathException none) {
            return Optional.empty();
        }
    }

    public static <T> Optional<T> refuse(Value value, String key, Complaints complaints, String words) {
        return refuse(value, key, complaints, words, Optional.empty());
    }

    static <T> Optional<T> refuse(Value value, String key, Complaints complaints, String words,
            Optional<String> suggestion) {
        complaints.add(value.place(), key, key + " = " + value.toToml() + " is not " + words, suggestion);
        return Optional.empty();
    }

    private record TextForm<T>(String words, Function<String, Optional<T>> parse) implements Form<T> {
        private static Optional<String> wholePath(Value value) {
            return value instanceof Value.Text text && text.text().startsWith(SHELL_HOME)
                    ? Optional.of("write the whole path; only a shell replaces the ~")
                    : Optional.empty();
        }

        @Override
        public Optional<T> read(Value value, String key, Complaints complaints) {
            Optional<T> meaning = value instanceof Value.Text text ? parse.apply(text.text()) : Optional.empty();
            return meaning.isPresent() ? meaning : refuse(value, key, complaints, words, wholePath(value));
        }
    }

    private record CountForm(int least, int most) implements Form<Integer> {
        @Override
        public Optional<Integer> read(Value value, String key, Complaints complaints) {
            if (value instanceof Value.Number number && number.number() >= least && number.number() <= most) {
                return Optional.of((int) number.number());
            }
            Optional<String> unquoted = value instanceof Value.Text text && text.text().matches("[0-9]{1,9}")
                    ? Optional.of("write it without quotes: " + text.text())
                    : Optional.empty();
            return refuse(value, key, complaints, words(), unquoted);
        }

        @Override
        public String words() {
            return most == Integer.MAX_VALUE
                    ? "a whole number from " + least
                    : "a whole number from " + least + " to " + most;
        }

        @Override
        public Value value(String text, SourcePlace place) {
            return text.matches("-?[0-9]{1,18}")
                    ? new Value.Number(Long.parseLong(text), place)
                    : new Value.Text(text, place);
        }
    }

    /// @param plain a number without unit has a meaning
    private record AmountForm<T>(String kind, Units units, long least, long most, boolean plain,
            LongFunction<T> make) implements Form<T> {
        @Override
        public Optional<T> read(Value value, String key, Complaints complaints) {
            Optional<Long> amount = switch (value) {
                case Value.Text text -> units.parse(text.text());
                case Value.Number number when plain && number.number() >= 0 -> Optional.of(number.number());
                default -> Optional.empty();
            };
            if (amount.isEmpty()) {
                return refuse(value, key, complaints, kind, withUnit(value));
            }
            return amount.get() >= least && amount.get() <= most
                    ? amount.map(make::apply)
                    : refuse(value, key, complaints, words());
        }

        private Optional<String> withUnit(Value value) {
            return !plain && value instanceof Value.Number number
                    ? Optional.of("say the unit, for example \"" + number.number() + "s\"")
                    : Optional.empty();
        }

        @Override
        public String words() {
            String from = least > 0 ? ", at least " + units.write(least) : "";
            String to = most < Long.MAX_VALUE ? ", at most " + units.write(most) : "";
            return kind + from + to;
        }
    }

    private record WordOrAmount<T>(String word, Form<T> amount) implements Form<Optional<T>> {
        @Override
        public Optional<Optional<T>> read(Value value, String key, Complaints complaints) {
            return value instanceof Value.Text text && text.text().equals(word)
                    ? Optional.of(Optional.empty())
                    : amount.read(value, key, complaints).map(Optional::of);
        }

        @Override
        public String words() {
            return "\"" + word + "\", or " + amount.words();
        }

        @Override
        public Value value(String text, SourcePlace place) {
            return text.equals(word) ? new Value.Text(text, place) : amount.value(text, place);
        }
    }

    private record FlagForm() implements Form<Boolean> {
        @Override
        public Optional<Boolean> read(Value value, String key, Complaints complaints) {
            return value instanceof Value.Flag flag
                    ? Optional.of(flag.flag())
                    : refuse(value, key, complaints, words());
        }

        @Override
        public String words() {
            return "true or false";
        }

        @Override
        public Value value(String text, SourcePlace place) {
            return text.equals("true") || text.equals("false")
                    ? new Value.Flag(text.equals("true"), place)
                    : new Value.Text(text, place);
        }
    }

    private record ChoiceForm(List<String> choices) implements Form<String> {
        @Override
        public Optional<String> read(Value value, String key, Complaints complaints) {
            Optional<String> word = value instanceof Value.Text text
                    ? Optional.of(text.text().toLowerCase(Locale.ROOT))
                    : Optional.empty();
            return word.filter(choices::contains).isPresent()
                    ? word
                    : refuse(value, key, complaints, words(), word.flatMap(w -> Nearest.to(w, choices))
                            .map(near -> "did you mean \"" + near + "\"?"));
        }

        @Override
        public String words() {
            return choices.stream().map(c -> '"' + c + '"').collect(Collectors.joining(", ", "one of ", ""));
        }
    }

    private record NamedForm<T>(Form<String> choice, Map<String, T> meanings) implements Form<T> {
        @Override
        public Optional<T> read(Value value, String key, Complaints complaints) {
            return choice.read(value, key, complaints)
                    .flatMap(word -> Optional.ofNullable(meanings.get(word)));
        }

        @Override
        public String words() {
            return choice.words();
        }
    }

    /// A single text is a list of one.
    private record ListForm<T>(Form<T> item) implements Form<List<T>> {
        @Override
        public Optional<List<T>> read(Value value, String key, Complaints complaints) {
            List<Value> items = value instanceof Value.Many many ? many.items() : List.of(value);
            List<T> read = new ArrayList<>();
            for (Value each : items) {
                item.read(each, key, complaints).ifPresent(read::add);
            }
            return read.size() == items.size() ? Optional.of(List.copyOf(read)) : Optional.empty();
        }

        @Override
        public String words() {
            return "a list, each item " + item.words();
        }

        @Override
        public Value value(String text, SourcePlace place) {
            List<Value> items = new ArrayList<>();
            for (String part : text.split(",")) {
                if (!part.isBlank()) {
                    items.add(item.value(part.strip(), place));
                }
            }
            return new Value.Many(items, place);
        }
    }
}
