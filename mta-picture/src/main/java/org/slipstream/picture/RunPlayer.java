package org.slipstream.picture;

import org.slipstream.picture.LivePictures.Curve;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.IntFunction;

/// A run, or two side by side, at one moment of an interval: curves over the interval with a mark at
/// the moment, links to other moments, and the state. Without a script the links and the button of
/// the slider lead to another page; a script may exchange the element `player` while the slider moves.
///
/// @param step that is shown, from 0
/// @param last the last step whose state is known
/// @param steps of the interval
/// @param from begin of the interval, in words, as are `to` and `at`
/// @param link the address of the page of a step
/// @param form of the slider; empty for a page without a server
public record RunPlayer(int step, int last, int steps, String from, String to, String at, List<PlayedRun> runs,
        IntFunction<String> link, Optional<SliderForm> form) {
    private static final Template PLAYER = Template.of(RunPlayer.class, "/picture/player.html");
    private static final int LONG_WAY = 10;

    public RunPlayer {
        runs = List.copyOf(runs);
    }

    /// @param title empty when there is one run
    /// @param queue curves of what waits and runs
    /// @param flow curves of what was done in each step
    public record PlayedRun(String title, List<Curve> queue, List<Curve> flow, Markup frame) {}

    /// @param hidden further fields of the query
    public record SliderForm(String action, SequencedMap<String, String> hidden) {}

    public Markup markup() {
        List<Map<String, Object>> links = new ArrayList<>();
        add(links, "first", 0);
        add(links, LONG_WAY + " back", step - LONG_WAY);
        add(links, "back", step - 1);
        add(links, "forward", step + 1);
        add(links, LONG_WAY + " forward", step + LONG_WAY);
        add(links, "last", last);
        double mark = (double) step / (steps + 1);
        return PLAYER.markup(Map.of("links", links, "step", step, "last", last, "from", from, "to", to, "at", at,
                "form",
                form.map(each -> List.of(values(each))).orElse(List.of()), "runs",
                runs.stream()
                        .map(run -> Map.of("title", run.title().isEmpty() ? List.of() : List.of(run.title()), "queue",
                                LivePictures.curves(run.queue(), "deliveries", steps + 1, mark), "flow",
                                LivePictures.curves(run.flow(), "recipients in each step", steps + 1, mark), "frame",
                                run.frame()))
                        .toList()));
    }

    private void add(List<Map<String, Object>> links, String name, int to) {
        boolean there = to >= 0 && to <= last && to != step;
        links.add(Map.of("name", name, "href", there ? List.of(link.apply(to)) : List.of()));
    }

    private Map<String, Object> values(SliderForm slider) {
        return Map.of("action", slider.action(), "hidden", slider.hidden().entrySet().stream()
                .map(each -> Map.of("field", each.getKey(), "value", each.getValue())).toList());
    }
}
