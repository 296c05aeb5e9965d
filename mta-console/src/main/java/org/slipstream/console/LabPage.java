package org.slipstream.console;

import org.slipstream.admin.operations.FilmOperations.FilmView;
import org.slipstream.admin.operations.FilmOperations.LabRunView;
import org.slipstream.admin.operations.FilmOperations.LabView;
import org.slipstream.admin.operations.FilmOperations.ScenarioView;
import org.slipstream.picture.Template;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// The laboratory: a scenario in simulated time, once or with two settings side by side.
///
/// A scenario that a visitor has written is kept for a while under a name made from its text, so that
/// the moments of its run have addresses.
final class LabPage implements ConsolePage {
    static final String FORM = "/lab";
    static final int LONGEST_TEXT = 1 << 16;
    /// A form may write an octet as three characters.
    static final int LARGEST_FORM = 3 * LONGEST_TEXT + 8_192;
    static final int MOST_KEPT = 20;
    private static final int NAME_OCTETS = 16;
    private static final Template PAGE = Template.of(LabPage.class, "/console/lab.html");

    private final Map<String, String> own = new LinkedHashMap<>(16, 0.75f, true);

    @Override
    public PageView view(PageRequest request) {
        SequencedMap<String, String> asked = new LinkedHashMap<>();
        List.of("scenario", "own", "set", "compare")
                .forEach(name -> request.query().get(name).ifPresent(value -> asked.put(name, value)));
        Optional<String> scenario = request.query().get("own").map(this::find)
                .or(() -> request.query().get("scenario"));
        Map<String, Object> values = new HashMap<>();
        values.put("key", request.visitor().formKey());
        values.put("set", asked.getOrDefault("set", ""));
        values.put("compare", asked.getOrDefault("compare", ""));
        values.put("text", request.query().get("own").map(_ -> scenario.orElse("")).orElse(""));
        values.put("scenarios", request.api().list(ScenarioView.class, "lab/scenarios", "scenarios").stream()
                .map(each -> Map.of("name", each.name(), "title", each.title(), "chosen",
                        each.name().equals(asked.get("scenario")) ? List.of("") : List.of()))
                .toList());
        values.put("wrong", List.of());
        values.put("run", List.of());
        values.put("queue-set", "");
        if (request.query().get("queue").isPresent()) {
            SequencedMap<String, String> present = new LinkedHashMap<>(Map.of("queue", "now"));
            request.query().get("set").ifPresent(set -> present.put("set", set));
            values.put("queue-set", present.getOrDefault("set", ""));
            values.put("set", "");
            run(request, "lab/what-if", present, new LinkedHashMap<>(), values);
        } else {
            scenario.ifPresent(text -> run(request, "lab/run", asked, new LinkedHashMap<>(Map.of("scenario", text)),
                    values));
        }
        return PageView.still("Lab", PAGE.markup(values));
    }

    /// @param asked what the addresses of the other moments have, too
    /// @param further parameters of the API
    private static void run(PageRequest request, String path, SequencedMap<String, String> asked,
            Map<String, String> further, Map<String, Object> values) {
        Map<String, String> query = new LinkedHashMap<>(asked);
        query.remove("own");
        query.remove("queue");
        query.putAll(further);
        request.query().get("again").ifPresent(_ -> query.put("again", "true"));
        request.query().get("at").ifPresent(at -> query.put("at", at));
        query.put("step", request.query().get("step").orElse(query.containsKey("at") ? "" : "0"));
        try {
            LabView lab = request.api().get(LabView.class, path, FormText.query(query));
            values.put("run", List.of(values(lab, asked)));
        } catch (RefusedException refused) {
            values.put("wrong", List.of(refused.sentence()));
        }
    }

    private static Map<String, Object> values(LabView lab, SequencedMap<String, String> asked) {
        SequencedMap<String, FilmView> films = new LinkedHashMap<>();
        lab.runs().forEach(run -> films.put(lab.runs().size() > 1 ? run.variant() : "", run.film()));
        return Map.of("title", lab.title(), "story", lab.story(), "player",
                FilmPlayer.of(films, FORM, asked, LabPage::time).markup(), "failures",
                lab.runs().stream().map(LabRunView::failures).flatMap(List::stream).toList(), "titles", lab.titles(),
                "rows", lab.rows().stream().map(row -> Map.of("cells", row)).toList());
    }

    private static String time(long millis) {
        return millis / 1_000 + "." + "%03d".formatted(millis % 1_000) + " s";
    }

    /// Keeps the text of a form.
    ///
    /// @return the address of its run
    String keep(FormText form) {
        String text = form.get("text").orElseThrow(() -> new RefusedException(400, "There is no text of a scenario."));
        if (text.length() > LONGEST_TEXT) {
            throw new RefusedException(413, "A scenario has at most " + LONGEST_TEXT + " characters.");
        }
        String name = name(text);
        synchronized (own) {
            own.put(name, text);
            if (own.size() > MOST_KEPT) {
                own.remove(own.keySet().iterator().next());
            }
        }
        Map<String, String> query = new LinkedHashMap<>(Map.of("own", name));
        List.of("set", "compare").forEach(each -> form.get(each).ifPresent(value -> query.put(each, value)));
        return FORM + "?" + FormText.query(query);
    }

    private String find(String name) {
        synchronized (own) {
            return Optional.ofNullable(own.get(name)).orElseThrow(() -> new RefusedException(404,
                    "This scenario is no longer kept; paste it again. The server keeps the latest " + MOST_KEPT + "."));
        }
    }

    private static String name(String text) {
        try {
            return HexFormat.of().formatHex(
                    MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)), 0, NAME_OCTETS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("each Java has SHA-256", impossible);
        }
    }
}
