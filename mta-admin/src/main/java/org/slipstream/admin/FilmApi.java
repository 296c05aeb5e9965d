package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.FilmOperations;
import org.slipstream.admin.operations.FilmOperations.ComputingException;
import org.slipstream.admin.operations.FilmOperations.JournalQuestion;
import org.slipstream.admin.operations.FilmOperations.LabQuestion;
import org.slipstream.admin.operations.FilmOperations.LabView;
import org.slipstream.admin.operations.FilmOperations.WantedMoment;
import org.slipstream.admin.operations.FilmOperations.WhatIfQuestion;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// The resources `journal`, `lab/scenarios`, `lab/run` and `lab/what-if`.
final class FilmApi {
    static final int LONGEST_SCENARIO = 1 << 16;
    static final int MOST_CHANGES = 20;
    private static final Pattern MINUTE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}");
    private static final Pattern LATEST = Pattern.compile("\\d{4}-[-0-9:.TZ]{1,30}");
    private static final ApiParameter STEP = ApiParameter.of("step", "the moment as a step of the interval, from 0");

    private final Optional<FilmOperations> films;

    FilmApi(Optional<FilmOperations> films) {
        this.films = films;
    }

    List<ApiResource> resources() {
        return List.of(
                ApiResource.get("journal", Right.READ, "The queue manager at a moment that the journal has recorded.",
                        List.of(ApiParameter.of("from", "begin of the interval, ISO 8601 in UTC"),
                                ApiParameter.of("to", "its end; a quarter of an hour if one of both is absent"),
                                ApiParameter.of("at", "the moment; the end of the interval if absent"), STEP,
                                ApiParameter.of("message", "a queue id, whose decisions are wanted"),
                                ApiParameter.of("shard", "the number of a shard; the first one if absent")),
                        this::journal),
                ApiResource.get("lab/scenarios", Right.READ, "The scenarios that come with the program.",
                        _ -> films.map(each -> ApiResponse.ok(Map.of("scenarios", each.scenarios())))
                                .orElseGet(FilmApi::none)),
                ApiResource.get("lab/run", Right.READ, "Runs a scenario in simulated time.",
                        List.of(ApiParameter.of("scenario",
                                "a name of lab/scenarios, or the text of a file with at most 64 KiB").needed(),
                                ApiParameter.of("set", "changed keys, one `key=value` a line"),
                                ApiParameter.of("compare", "changed keys of a second run"),
                                ApiParameter.of("at", "the moment, in milliseconds of the simulation"), STEP),
                        this::lab),
                ApiResource.get("lab/what-if", Right.READ, "The present queue under other settings, in simulated time.",
                        List.of(ApiParameter.of("set", "changed settings of mta.toml, one `key=value` a line"),
                                new ApiParameter("again", "true: the queue of this moment, not one of the last minutes",
                                        false, List.of("true")),
                                ApiParameter.of("at", "the moment, in milliseconds of the simulation"), STEP),
                        this::whatIf));
    }

    private static ApiResponse none() {
        return ApiResponse.error(501, "this server plays no runs");
    }

    private ApiResponse journal(Query query) throws IOException {
        Optional<String> wrong = List.of("from", "to", "at").stream()
                .filter(name -> query.get(name).isPresent() && time(query, name).isEmpty()).findFirst();
        if (wrong.isPresent()) {
            return ApiResponse.badRequest(wrong.get() + " is no time such as 2026-11-27T03:12:00Z: "
                    + query.get(wrong.get()).orElse(""));
        }
        Optional<String> message = query.get("message").filter(text -> !text.isBlank());
        Optional<QueueId> id = message.flatMap(QueueId::parse);
        if (message.isPresent() && id.isEmpty()) {
            return ApiResponse.badRequest("not a queue id: " + message.get());
        }
        if (isNoNumber(query, "step") || isNoNumber(query, "shard")) {
            return ApiResponse.badRequest("step and shard are numbers");
        }
        OptionalLong from = time(query, "from");
        OptionalLong to = time(query, "to");
        if (from.isPresent() && to.isPresent() && from.getAsLong() >= to.getAsLong()) {
            return ApiResponse.badRequest("the interval ends before it begins");
        }
        return answered(each -> each
                .journal(new JournalQuestion(number(query, "shard"), from, to,
                        new WantedMoment(time(query, "at"), number(query, "step")), id))
                .map(ApiResponse::ok).orElseGet(() -> ApiResponse.error(501, "no journal is written; set journal.file ="
                        + " \"decisions.jsonl\" and restart the server")));
    }

    private ApiResponse lab(Query query) throws IOException {
        Optional<String> scenario = query.get("scenario").filter(text -> !text.isBlank());
        if (scenario.isEmpty()) {
            return ApiResponse.badRequest("missing parameter: ?scenario=, a name or the text of a file");
        }
        if (scenario.get().length() > LONGEST_SCENARIO) {
            return ApiResponse.badRequest("a scenario has at most " + LONGEST_SCENARIO + " characters");
        }
        List<String> set = lines(query, "set");
        List<String> compare = lines(query, "compare");
        if (set.size() + compare.size() > MOST_CHANGES) {
            return ApiResponse.badRequest("at most " + MOST_CHANGES + " keys can be changed");
        }
        return simulated(query,
                (each, moment) -> each.lab(new LabQuestion(scenario.get(), set, compare, moment)));
    }

    private ApiResponse whatIf(Query query) throws IOException {
        List<String> set = lines(query, "set");
        if (set.size() > MOST_CHANGES) {
            return ApiResponse.badRequest("at most " + MOST_CHANGES + " settings can be changed");
        }
        boolean again = query.get("again").isPresent();
        return simulated(query, (each, moment) -> each.whatIf(new WhatIfQuestion(set, again, moment)));
    }

    @FunctionalInterface
    private interface LabRun {
        LabView run(FilmOperations films, WantedMoment moment) throws IOException;
    }

    private ApiResponse simulated(Query query, LabRun run) throws IOException {
        if (isNoNumber(query, "step") || isNoNumber(query, "at")) {
            return ApiResponse.badRequest("step and at are numbers");
        }
        OptionalInt at = number(query, "at");
        WantedMoment moment = new WantedMoment(at.isPresent() ? OptionalLong.of(at.getAsInt()) : OptionalLong.empty(),
                number(query, "step"));
        try {
            return answered(each -> ApiResponse.ok(run.run(each, moment)));
        } catch (IllegalArgumentException wrong) {
            return ApiResponse.badRequest(String.valueOf(wrong.getMessage()));
        }
    }

    @FunctionalInterface
    private interface FilmQuestion {
        ApiResponse ask(FilmOperations films) throws IOException;
    }

    private ApiResponse answered(FilmQuestion question) throws IOException {
        if (films.isEmpty()) {
            return none();
        }
        try {
            return question.ask(films.get());
        } catch (ComputingException busy) {
            return ApiResponse.error(503, String.valueOf(busy.getMessage()), Map.of("Retry-After", "5"));
        } catch (IOException nothing) {
            return ApiResponse.notFound(String.valueOf(nothing.getMessage()));
        }
    }

    private static List<String> lines(Query query, String name) {
        return query.get(name).orElse("").lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    private static boolean isNoNumber(Query query, String name) {
        return query.get(name).filter(text -> !text.isBlank()).isPresent() && number(query, name).isEmpty();
    }

    private static OptionalInt number(Query query, String name) {
        return query.get(name).filter(text -> text.matches("[0-9]{1,9}")).map(text -> OptionalInt.of(
                Integer.parseInt(text))).orElse(OptionalInt.empty());
    }

    /// A person may write a space for the T, and leave out seconds and Z.
    private static OptionalLong time(Query query, String name) {
        String text = query.get(name).orElse("").strip().replace(' ', 'T');
        if (!LATEST.matcher(text).matches()) {
            return OptionalLong.empty();
        }
        String whole = MINUTE.matcher(text).matches() ? text + ":00" : text;
        try {
            long millis = Instant.parse(whole.endsWith("Z") ? whole : whole + "Z").toEpochMilli();
            return millis < 0 ? OptionalLong.empty() : OptionalLong.of(millis);
        } catch (DateTimeException noTime) {
            return OptionalLong.empty();
        }
    }
}
