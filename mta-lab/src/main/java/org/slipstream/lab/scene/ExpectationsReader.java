package org.slipstream.lab.scene;

import org.slipstream.core.text.Nearest;
import org.slipstream.lab.scene.Expectations.Expected;
import org.slipstream.lab.scene.Expectations.HostExpectation;
import org.slipstream.lab.scene.Scene.SceneMessage;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

/// `[expect]`: what a run of the scene is checked against.
final class ExpectationsReader {
    private final Section section;
    private final Set<String> names = new TreeSet<>();
    private final Set<String> hosts;
    private final List<Expected> all = new ArrayList<>();

    private ExpectationsReader(Section section, Collection<SceneMessage> messages, Set<String> hosts) {
        this.section = section;
        this.hosts = hosts;
        messages.forEach(message -> names.add(message.name()));
    }

    /// @param hosts that the file names
    static Expectations read(Section root, Collection<SceneMessage> messages, Set<String> hosts) {
        return root.section("expect").map(section -> new ExpectationsReader(section, messages, hosts).read())
                .orElse(new Expectations(List.of()));
    }

    private Expectations read() {
        for (Section.NamedSection each : section.all()) {
            expectation(each);
        }
        return new Expectations(all);
    }

    private void expectation(Section.NamedSection each) {
        switch (each.name()) {
            case "sequence" -> add(each, new HostExpectation.Sequence(messages(each)));
            case "sequences" -> inner(each, (of, it) -> new HostExpectation.SequenceOf(of, messages(it)));
            case "preemptions" -> add(each, new HostExpectation.Preemptions((int) number(each, 0)));
            case "finished" -> inner(each, (of, it) -> new HostExpectation.Finished(message(of, it), time(it)));
            case "inflation" -> inner(each, (of, it) -> new HostExpectation.Inflation(message(of, it), number(it, 1)));
            case "attempts" -> inner(each, (of, it) -> new HostExpectation.Attempts(message(of, it), runs(it)));
            case "reads" -> inner(each, (of, it) -> new HostExpectation.Reads(message(of, it), runs(it)));
            case "windows" -> inner(each, (of, it) -> new HostExpectation.Windows(of, runs(it)));
            case "untried" -> inner(each, (of, it) -> new HostExpectation.Untried(of, (int) number(it, 0)));
            case "deliveries" ->
                inner(each, (of, it) -> new HostExpectation.Deliveries(host(of, it), (int) number(it, 0)));
            case "connections" ->
                inner(each, (of, it) -> new HostExpectation.Connections(host(of, it), (int) number(it, 0)));
            case "hosts" -> inner(each, (of, it) -> new HostExpectation.Hosts(host(of, it), runs(it)));
            default -> throw section.wrong(each.line(), "nothing called \"" + each.name() + "\" can be expected"
                    + Nearest.hint(each.name(), Set.of("sequence", "sequences", "preemptions", "finished", "inflation",
                            "attempts", "reads", "windows", "untried", "deliveries", "connections", "hosts")));
        }
    }

    private void inner(Section.NamedSection outer, BiFunction<String, Section.NamedSection, HostExpectation> what) {
        section.all(outer.name()).forEach(each -> add(each, what.apply(each.name(), each)));
    }

    private void add(Section.NamedSection where, HostExpectation what) {
        all.add(new Expected(where.line(), what));
    }

    private List<String> messages(Section.NamedSection each) {
        List<String> messages = runs(each);
        messages.forEach(name -> message(name, each));
        return messages;
    }

    private String message(String name, Section.NamedSection each) {
        if (!names.contains(name)) {
            throw section.wrong(each.line(), "there is no message \"" + name + "\"" + Nearest.hint(name, names));
        }
        return name;
    }

    private String host(String name, Section.NamedSection each) {
        if (!hosts.contains(name)) {
            throw section.wrong(each.line(), "no route has the host \"" + name + "\"" + Nearest.hint(name, hosts));
        }
        return name;
    }

    private List<String> runs(Section.NamedSection each) {
        return Runs.parse(String.valueOf(each.value()))
                .orElseThrow(() -> section.wrong(each.line(), each.name() + " = \"" + each.value()
                        + "\" is no sequence; write names with a space between, n times as name×n, groups as (a×5 b)×n"));
    }

    private double number(Section.NamedSection each, double least) {
        if (each.value() instanceof Number number && number.doubleValue() >= least) {
            return number.doubleValue();
        }
        throw section.wrong(each.line(), each.name() + " = " + each.value() + " is not a number from " + (long) least);
    }

    private long time(Section.NamedSection each) {
        return Times.parse(String.valueOf(each.value())).orElseThrow(() -> section.wrong(each.line(), each.name()
                + " = " + each.value() + " is no time; write a number with a unit, for example \"10s\""));
    }
}
