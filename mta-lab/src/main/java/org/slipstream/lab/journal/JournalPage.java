package org.slipstream.lab.journal;

import org.slipstream.lab.film.Film;
import org.slipstream.lab.film.FramePictures;
import org.slipstream.picture.LivePictures;
import org.slipstream.picture.RunPlayer;
import org.slipstream.picture.Template;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;

/// A part of a journal as one page that needs no server, no script and no other file: each moment is
/// a section, and the links between them are those of the page.
public final class JournalPage {
    private static final Template PAGE = Template.of(JournalPage.class, "/page/journal.html");

    private JournalPage() {}

    /// @param title names the journal
    /// @param time in words, from milliseconds since 1970
    public static String of(JournalFilm journal, String title, LongFunction<String> time) {
        return PAGE.fill(Map.of("style", LivePictures.style(), "title", title, "began",
                time.apply(journal.beganMillis()), "latest", time.apply(journal.latestMillis()), "remarks",
                journal.remarks(), "moments", journal.film().map(film -> moments(film, time)).orElse(List.of()),
                "decisions", journal.decisions().stream()
                        .map(each -> Map.of("at", time.apply(each.atMillis()), "text", each.text())).toList(),
                "earlier", journal.earlierDecisions() > 0 ? List.of(journal.earlierDecisions()) : List.of()));
    }

    private static List<Map<String, Object>> moments(Film film, LongFunction<String> time) {
        List<Map<String, Object>> moments = new ArrayList<>();
        int last = film.frames().size() - 1;
        for (int step = 0; step <= last; step++) {
            RunPlayer player = new RunPlayer(step, last, film.interval().steps(),
                    time.apply(film.interval().fromMillis()), time.apply(film.interval().toMillis()),
                    time.apply(film.frame(step).atMillis()), List.of(FramePictures.of(film, step, "m" + step)),
                    to -> "#m" + to, Optional.empty());
            moments.add(Map.of("id", "m" + step, "player", player.markup()));
        }
        return moments;
    }
}
