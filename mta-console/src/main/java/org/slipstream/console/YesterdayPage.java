package org.slipstream.console;

import org.slipstream.admin.operations.FilmOperations.FilmView;
import org.slipstream.admin.operations.FilmOperations.JournalView;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The queue as it was, from the journal: the state at a moment, and the decisions about a message.
final class YesterdayPage implements ConsolePage {
    private static final String PATH = "/yesterday";
    private static final int OFF = 501;
    private static final int NOTHING = 404;
    private static final int MOST_DECISIONS = 80;
    private static final List<String> FIELDS = List.of("from", "to", "at", "message", "shard");
    private static final Template PAGE = Template.of(YesterdayPage.class, "/console/yesterday.html");
    private static final Template NONE = Template.of(YesterdayPage.class, "/console/yesterday-off.html");

    @Override
    public PageView view(PageRequest request) {
        SequencedMap<String, String> asked = new LinkedHashMap<>();
        FIELDS.forEach(name -> request.query().get(name).ifPresent(value -> asked.put(name, value)));
        request.query().get("step").ifPresent(value -> asked.put("step", value));
        try {
            JournalView journal = request.api().get(JournalView.class, "journal", FormText.query(asked));
            return PageView.still("Yesterday", page(journal, asked));
        } catch (RefusedException refused) {
            return switch (refused.status()) {
                case OFF -> PageView.still("Yesterday", NONE.markup(Map.of()));
                case NOTHING -> PageView.still("Yesterday", PAGE.markup(values(asked, List.of(refused.sentence()))));
                default -> throw refused;
            };
        }
    }

    private static Map<String, Object> values(Map<String, String> asked, List<String> remarks) {
        Map<String, Object> values = new HashMap<>();
        List.of("from", "to", "message").forEach(name -> values.put(name, asked.getOrDefault(name, "")));
        values.put("remarks", remarks);
        List.of("player", "journal", "story").forEach(name -> values.put(name, List.of()));
        return values;
    }

    private static Markup page(JournalView journal, SequencedMap<String, String> asked) {
        Map<String, Object> values = values(asked, journal.remarks());
        values.put("journal", List.of(Map.of("began", Moments.text(journal.began()), "latest",
                Moments.text(journal.latest()), "outside", journal.film().isEmpty() ? List.of("") : List.of())));
        journal.film().ifPresent(film -> {
            String from = Instant.ofEpochMilli(film.fromMillis()).toString();
            String to = Instant.ofEpochMilli(film.toMillis()).toString();
            values.put("from", from);
            values.put("to", to);
            values.put("player", List.of(Map.of("it", player(film, from, to, asked))));
        });
        Optional.ofNullable(asked.get("message")).ifPresent(id -> values.put("story", List.of(story(journal, id))));
        return PAGE.markup(values);
    }

    // The address has the whole interval, so that a colleague sees the same tomorrow.
    private static Markup player(FilmView film, String from, String to, Map<String, String> asked) {
        SequencedMap<String, String> query = new LinkedHashMap<>(Map.of("from", from));
        query.put("to", to);
        List.of("message", "shard").forEach(name -> Optional.ofNullable(asked.get(name))
                .ifPresent(value -> query.put(name, value)));
        return FilmPlayer.of(new TreeMap<>(Map.of("", film)), PATH, query, YesterdayPage::moment).markup();
    }

    private static String moment(long millis) {
        return Instant.ofEpochMilli(millis).toString().replace('T', ' ');
    }

    private static Map<String, Object> story(JournalView journal, String id) {
        int leftOut = Math.max(0, journal.decisions().size() - MOST_DECISIONS);
        long earlier = journal.earlierDecisions() + leftOut;
        return Map.of("id", id, "about",
                journal.about().isEmpty() ? "The message is not in memory at this moment." : journal.about(), "phases",
                journal.phases().stream()
                        .map(each -> Map.of("at", each.at().replace('T', ' '), "phase", each.phase(), "why",
                                each.why()))
                        .toList(),
                "decisions",
                journal.decisions().stream().skip(leftOut)
                        .map(each -> Map.of("at", each.at().replace('T', ' '), "text", each.what())).toList(),
                "earlier", earlier > 0 ? List.of(earlier) : List.of());
    }
}
