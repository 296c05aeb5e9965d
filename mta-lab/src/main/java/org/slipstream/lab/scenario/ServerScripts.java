package org.slipstream.lab.scenario;

import org.slipstream.lab.ServerProfile;
import org.slipstream.lab.ServerProfile.PathProfile;
import org.slipstream.settings.TomlMistake;
import org.slipstream.settings.TomlSection;
import org.slipstream.sink.script.Reaction;
import org.slipstream.sink.script.ScriptPhase;
import org.slipstream.sink.script.ScriptReader;
import org.slipstream.sink.script.ScriptRule;
import org.slipstream.sink.script.ServerForm.PipeliningForm;
import org.slipstream.sink.script.ServerScript;
import org.slipstream.sink.script.TlsBehaviour;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/// Servers of a scenario that follow a script of the sink. A simulated delivery has no octets, no
/// TLS and one client, so a script that needs these is refused with the place.
final class ServerScripts {
    private static final Set<ScriptPhase> SIMULATED = EnumSet.of(ScriptPhase.CONNECT, ScriptPhase.HELO,
            ScriptPhase.MAIL, ScriptPhase.RCPT, ScriptPhase.DATA, ScriptPhase.CONTENT);
    private static final Set<TlsBehaviour> WITHOUT_FAULT = EnumSet.of(TlsBehaviour.OFF, TlsBehaviour.GOOD);

    private ServerScripts() {}

    /// @param scripts the text of a script by its name
    static ServerProfile follow(ServerProfile server, TomlSection section, String name,
            Function<String, Optional<String>> scripts) {
        String text = scripts.apply(name).orElseThrow(() -> section.wrong("script", "= \"" + name
                + "\" cannot be read; give the path from the folder of the scenario"));
        try {
            ServerScript script = ScriptReader.read(name, text);
            refuseWhatIsNotSimulated(script);
            return server.with(path(server.path(), script)).with(script);
        } catch (TomlMistake mistake) {
            throw mistake;
        }
    }

    /// Without a true announcement of PIPELINING a connection carries one delivery at a time.
    private static PathProfile path(PathProfile path, ServerScript script) {
        boolean announced = script.form().extensions().contains("PIPELINING");
        return new PathProfile(path.roundTripMillis(), announced ? path.depth() : 1,
                script.form().pipelining() != PipeliningForm.DISCARDS);
    }

    private static void refuseWhatIsNotSimulated(ServerScript script) {
        if (script.form().lmtp()) {
            throw notSimulated(script, "server.protocol", "LMTP");
        }
        if (!WITHOUT_FAULT.contains(script.form().tls())) {
            throw notSimulated(script, "server.tls", "TLS");
        }
        for (String key : List.of("server.size-limit", "server.accept-delay")) {
            if (script.lines().containsKey(key)) {
                throw notSimulated(script, key, "size or the queue of the operating system");
            }
        }
        script.rules().forEach(rule -> reason(rule).ifPresent(reason -> {
            throw new TomlMistake(script.file() + ":" + rule.line() + ": a simulated server has no " + reason
                    + "; leave the rule \"" + rule.name() + "\" out of the script for the lab");
        }));
    }

    private static TomlMistake notSimulated(ServerScript script, String key, String what) {
        return new TomlMistake(script.file() + ":" + script.lines().getOrDefault(key, 1) + ": a simulated server"
                + " has no " + what + "; leave " + key + " out of the script for the lab");
    }

    private static Optional<String> reason(ScriptRule rule) {
        Reaction reaction = rule.reaction();
        Set<ScriptPhase> others = new TreeSet<>(rule.phases());
        others.removeAll(SIMULATED);
        if (!others.isEmpty() && (rule.phases().size() < ScriptPhase.values().length || counts(rule))) {
            return Optional.of("phase " + others.iterator().next().word());
        }
        if (rule.when().client().isPresent() || rule.when().helo().isPresent()) {
            return Optional.of("clients with different names");
        }
        if (reaction.drip().isSlow() || reaction.read().isSlow()) {
            return Optional.of("speed of octets");
        }
        boolean stalls = reaction.after() == Reaction.After.STALL;
        return stalls && !rule.phases().equals(Set.of(ScriptPhase.CONNECT))
                ? Optional.of("stalled session after the greeting")
                : Optional.empty();
    }

    private static boolean counts(ScriptRule rule) {
        return !rule.count().equals(new ScriptRule.Counting(ScriptRule.CountOf.CASES, OptionalInt.empty(),
                OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), 1));
    }
}
