package org.slipstream.cli.frame;

import org.slipstream.core.Route;
import org.slipstream.core.Units;
import org.slipstream.core.order.OrderForm;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The arguments of an order on the command line: its texts and options are made from the form of the order, and what
/// was given becomes the query of the request. The server reads the values and refuses wrong ones.
public final class OrderArguments {
    private static final String FOR = "--for";
    private static final String UNTIL = "--until";

    private final OrderForm<?> form;
    private final CommandSpec spec;
    private final List<PositionalParamSpec> mine = new ArrayList<>();

    /// @param command an annotated object: its own options come first
    /// @param positional the index of the first argument without the name of an option; -1 for none
    public OrderArguments(OrderForm<?> form, Object command, int positional) {
        this.form = form;
        this.spec = CommandSpec.forAnnotatedObject(command);
        spec.usageMessage().header(form.verb().does()).parameterListHeading("%nParameters:%n")
                .footer(Arrays.stream(form.verb().examples()).map(each -> "  mta " + each).toArray(String[]::new));
        if (!form.verb().more().isEmpty()) {
            spec.usageMessage().description(form.verb().more());
        }
        int index = positional;
        for (OrderForm.OrderPart part : form.parts()) {
            if (!part.argument().positional()) {
                options(part).forEach(spec::addOption);
            } else if (positional >= 0) {
                PositionalParamSpec added = PositionalParamSpec.builder().index(Integer.toString(index))
                        .arity(part.argument().required() ? "1" : "0..1").type(String.class)
                        .paramLabel(part.argument().label()).description(part.argument().value()).build();
                mine.add(added);
                spec.addPositional(added);
                index++;
            }
        }
    }

    private static List<OptionSpec> options(OrderForm.OrderPart part) {
        OptionSpec.Builder option = OptionSpec.builder("--" + part.name()).description(part.argument().value());
        if (part.isFlag()) {
            return List.of(option.type(boolean.class).build());
        }
        option.type(String.class).paramLabel(part.argument().label());
        if (part.isMoment()) {
            return List.of(
                    OptionSpec.builder(FOR).type(String.class).paramLabel("TIME")
                            .description("how long, such as 30m, 2h, 1d").build(),
                    option.description(part.argument().value() + ", or as with --for; without both: until resumed")
                            .build());
        }
        if (part.name().equals(OrderForm.AUTHOR)) {
            return List.of(option.defaultValue(System.getProperty("user.name", "")).build());
        }
        return List.of(option.build());
    }

    public CommandSpec spec() {
        return spec;
    }

    public String word() {
        return form.word();
    }

    /// The effect of the order, as its verb declares it.
    public String did() {
        return form.verb().did();
    }

    // ---- values

    /// The values as parameters of a request, each after an `&`.
    ///
    /// @param positional values of the arguments without the name of an option, in their order
    /// @throws ParameterException for a missing or a wrong value
    public String query(List<String> positional) {
        Map<String, String> values = new LinkedHashMap<>();
        List<String> left = new ArrayList<>(positional);
        for (OrderForm.OrderPart part : form.parts()) {
            Optional<String> value = part.argument().positional()
                    ? left.isEmpty() ? Optional.empty() : Optional.of(left.removeFirst())
                    : part.isMoment() ? moment().map(Instant::toString) : given("--" + part.name());
            Optional<String> text = value.filter(each -> !each.isBlank());
            if (text.isEmpty() && part.argument().required()) {
                throw wrong("missing " + (part.argument().positional() ? "" : "--" + part.name() + " ")
                        + part.argument().label() + ": " + part.argument().value());
            }
            text.ifPresent(each -> values.put(part.name(), each));
        }
        // The server knows which next hops lead back to it.
        if (form.read(values, Route.Discard::new) instanceof OrderForm.OrderRead.Wrong<?>(_, String sentence)) {
            throw wrong(sentence);
        }
        return values.entrySet().stream().map(each -> "&" + each.getKey() + "=" + AdminClient.encoded(each.getValue()))
                .collect(Collectors.joining());
    }

    /// The values of the positional arguments that this class added.
    public List<String> positional() {
        return spec.positionalParameters().stream().filter(mine::contains).map(each -> each.getValue())
                .filter(String.class::isInstance).map(String.class::cast).toList();
    }

    public boolean isGiven(String flag) {
        return given(flag).isPresent();
    }

    private Optional<String> given(String option) {
        return Optional.ofNullable(spec.findOption(option)).map(each -> each.getValue()).map(Object::toString)
                .filter(text -> !text.equals("false"));
    }

    private Optional<Instant> moment() {
        Optional<String> duration = given(FOR);
        Optional<String> until = given(UNTIL);
        if (duration.isPresent() && until.isPresent()) {
            throw wrong("give --for or --until, not both");
        }
        if (duration.isPresent()) {
            return Optional.of(after(duration.get()).orElseThrow(
                    () -> wrong("--for must be a time such as 30m, 2h or 1d, not \"" + duration.get() + "\"")));
        }
        return until.map(text -> after(text).orElseGet(() -> moment(text)));
    }

    private static Optional<Instant> after(String text) {
        return Units.DURATIONS.parse(text).filter(millis -> millis > 0).map(Instant.now()::plusMillis);
    }

    private Instant moment(String text) {
        Instant moment;
        try {
            moment = Instant.parse(text);
        } catch (DateTimeParseException none) {
            throw wrong("--until must be a time such as 2026-01-31T18:00:00Z or 2h, not \"" + text + "\"");
        }
        if (moment.isBefore(Instant.now())) {
            throw wrong("--until is in the past");
        }
        return moment;
    }

    public ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }
}
