package org.slipstream.cli.host;

import org.slipstream.cli.frame.AdminClient;
import org.slipstream.core.Units;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/// The options of a suspension: its reason, its author and its end. `suspend`, `freeze` and `destdb
/// suspend` have them in common.
final class SuspensionOptions {
    @Option(names = "--reason", paramLabel = "TEXT",
            description = "the reason; shown with all mail that waits for it. Required")
    private String reason = "";

    @Option(names = "--author", paramLabel = "NAME", description = "who ordered it (default: you)")
    private String author = System.getProperty("user.name", "");

    @Option(names = "--for", paramLabel = "TIME", description = "how long, such as 30m, 2h, 1d")
    private String duration = "";

    @Option(names = "--until", paramLabel = "MOMENT",
            description = "until when, such as 2026-01-31T18:00:00Z, or as with --for; without both: until resumed")
    private String until = "";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /// The parameters of a request, after those that name the mail.
    ///
    /// @throws ParameterException for a missing reason or a malformed end
    String query() {
        if (reason.isBlank() || author.isBlank()) {
            throw wrong("a suspension needs a reason and an author: --reason TEXT");
        }
        if (!duration.isEmpty() && !until.isEmpty()) {
            throw wrong("give --for or --until, not both");
        }
        String end = end().map(moment -> "&until=" + moment).orElse("");
        return "reason=" + AdminClient.encoded(reason) + "&author=" + AdminClient.encoded(author) + end;
    }

    private Optional<Instant> end() {
        if (!duration.isEmpty()) {
            return Optional.of(after(duration).orElseThrow(
                    () -> wrong("--for must be a time such as 30m, 2h or 1d, not \"" + duration + "\"")));
        }
        return until.isEmpty() ? Optional.empty() : after(until).or(() -> Optional.of(moment()));
    }

    private static Optional<Instant> after(String text) {
        return Units.DURATIONS.parse(text).filter(millis -> millis > 0).map(Instant.now()::plusMillis);
    }

    private Instant moment() {
        Instant moment;
        try {
            moment = Instant.parse(until);
        } catch (DateTimeParseException none) {
            throw wrong("--until must be a time such as 2026-01-31T18:00:00Z or 2h, not \"" + until + "\"");
        }
        if (moment.isBefore(Instant.now())) {
            throw wrong("--until is in the past");
        }
        return moment;
    }

    private ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }
}
