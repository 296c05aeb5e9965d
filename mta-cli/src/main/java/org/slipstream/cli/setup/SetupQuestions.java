package org.slipstream.cli.setup;

import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;

import java.util.Optional;

/// Asks at a terminal what no option tells.
///
/// @param yes suggestions are taken unasked
record SetupQuestions(CliContext world, boolean yes) {
    /// @param given the value of the option
    String ask(Optional<String> given, String option, String question, Optional<String> suggestion) {
        if (given.isPresent()) {
            return given.get();
        }
        if (yes && suggestion.isPresent()) {
            return suggestion.get();
        }
        java.io.Console console = System.console();
        if (yes || world.in() != System.in || console == null || !console.isTerminal()) {
            throw new CommandFailure(Exit.USAGE, "mta: " + question + "? There is no terminal to ask; give " + option
                    + suggestion.map(text -> ", or --yes for " + text).orElse(""));
        }
        String typed = console.readLine("%s%s: ", question, suggestion.map(text -> " [" + text + "]").orElse(""));
        String answer = typed == null ? "" : typed.strip();
        return answer.isEmpty()
                ? suggestion.orElseThrow(() -> new CommandFailure(Exit.USAGE, "mta: " + question
                        + " was left empty; answer, or give " + option))
                : answer;
    }
}
