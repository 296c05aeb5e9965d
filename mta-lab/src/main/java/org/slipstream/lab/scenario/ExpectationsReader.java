package org.slipstream.lab.scenario;

import org.slipstream.core.text.Nearest;
import org.slipstream.lab.scenario.Expectations.Expectation;
import org.slipstream.lab.scenario.Expectations.Expected;
import org.slipstream.lab.scenario.ScenarioFile.ScenarioMessage;
import org.slipstream.picture.SequenceNotation;
import org.slipstream.settings.TomlSection;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

/// Reads `[expect]`, the expectations that a run is compared with.
final class ExpectationsReader {
    private final TomlSection section;
    private final Set<String> names = new TreeSet<>();
    private final Set<String> hosts;
    private final List<Expected> all = new ArrayList<>();

    private ExpectationsReader(TomlSection section, Collection<ScenarioMessage> messages, Set<String> hosts) {
        this.section = section;
        this.hosts = hosts;
        messages.forEach(message -> names.add(message.name()));
    }

    /// @param hosts named in the file
    static Expectations read(TomlSection root, Collection<ScenarioMessage> messages, Set<String> hosts) {
        return root.section("expect").map(section -> new ExpectationsReader(section, messages, hosts).read())
                .orElse(new Expectations(List.of()));
    }

    private Expectations read() {
        for (TomlSection.NamedValue each : section.all()) {
            expectation(each);
        }
        return new Expectations(all);
    }

    private void expectation(TomlSection.NamedValue each) {
        switch (each.name()) {
            case "sequence" -> add(each, new Expectation.Sequence(messages(each)));
            case "sequences" -> inner(each, (of, it) -> new Expectation.SequenceOf(of, messages(it)));
            case "preemptions" -> add(each, new Expectation.Preemptions((int) number(each, 0)));
            case "finished" -> inner(each, (of, it) -> new Expectation.Finished(message(of, it), time(it)));
            case "inflation" -> inner(each, (of, it) -> new Expectation.Inflation(message(of, it), number(it, 1)));
            case "attempts" -> inner(each, (of, it) -> new Expectation.Attempts(message(of, it), runs(it)));
            case "reads" -> inner(each, (of, it) -> new Expectation.Reads(message(of, it), runs(it)));
            case "windows" -> inner(each, (of, it) -> new Expectation.Windows(of, runs(it)));
            case "untried" -> inner(each, (of, it) -> new Expectation.Untried(of, (int) number(it, 0)));
            case "deliveries" ->
                inner(each, (of, it) -> new Expectation.Deliveries(host(of, it), (int) number(it, 0)));
            case "connections" ->
                inner(each, (of, it) -> new Expectation.Connections(host(of, it), (int) number(it, 0)));
            case "shards" -> add(each, new Expectation.Shards(runs(each)));
            case "placed" -> inner(each, (of, it) -> new Expectation.Placed(shard(of, it), (int) number(it, 0)));
            case "hosts" -> inner(each, (of, it) -> new Expectation.Hosts(host(of, it), runs(it)));
            default -> throw section.wrong(each.line(), "unknown expectation \"" + each.name() + "\""
                    + Nearest.hint(each.name(), Set.of("sequence", "sequences", "preemptions", "finished", "inflation",
                            "attempts", "reads", "windows", "untried", "deliveries", "connections", "hosts", "shards",
                            "placed")));
        }
    }

    private void inner(TomlSection.NamedValue outer, BiFunction<String, TomlSection.NamedValue, Expectation> what) {
        section.all(outer.name()).forEach(each -> add(each, what.apply(each.name(), each)));
    }

    private void add(TomlSection.NamedValue where, Expectation what) {
        all.add(new Expected(where.line(), what));
    }

    private List<String> messages(TomlSection.NamedValue each) {
        List<String> messages = runs(each);
        messages.forEach(name -> message(name, each));
        return messages;
    }

    private String message(String name, TomlSection.NamedValue each) {
        if (!names.contains(name)) {
            throw section.wrong(each.line(), "there is no message \"" + name + "\"" + Nearest.hint(name, names));
        }
        return name;
    }

    private String host(String name, TomlSection.NamedValue each) {
        if (!hosts.contains(name)) {
            throw section.wrong(each.line(), "no route has the host \"" + name + "\"" + Nearest.hint(name, hosts));
        }
        return name;
    }

    private int shard(String number, TomlSection.NamedValue each) {
        if (!number.matches("[1-9][0-9]?")) {
            throw section.wrong(each.line(), "\"" + number + "\" is not the number of a shard");
        }
        return Integer.parseInt(number);
    }

    private List<String> runs(TomlSection.NamedValue each) {
        return SequenceNotation.parse(String.valueOf(each.value()))
                .orElseThrow(() -> section.wrong(each.line(), each.name() + " = \"" + each.value()
                        + "\" is not a sequence; write names separated by spaces, name×n for a repeated name, (a×5 b)×n for a repeated group"));
    }

    private double number(TomlSection.NamedValue each, double least) {
        if (each.value() instanceof Number number && number.doubleValue() >= least) {
            return number.doubleValue();
        }
        throw section.wrong(each.line(), each.name() + " = " + each.value() + " is not a number from " + (long) least);
    }

    private long time(TomlSection.NamedValue each) {
        return Times.parse(String.valueOf(each.value())).orElseThrow(() -> section.wrong(each.line(), each.name()
                + " = " + each.value() + " is not a time; write a number with a unit, for example \"10s\""));
    }
}
