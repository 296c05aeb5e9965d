package org.slipstream.lab.world;

import org.slipstream.core.text.Controls;
import org.slipstream.lab.world.WorldHistory.WorldStep;
import org.slipstream.lab.world.WorldStory.ToldStep;
import org.slipstream.picture.LivePictures;
import org.slipstream.picture.StripPicture;
import org.slipstream.picture.Template;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The history of a world as one page that needs no server and no other file: a row for the server, for each fault
/// and for each message, and the events, which a slider and a button play.
///
/// Without a script the page has the whole picture and all events.
public final class WorldPage {
    static final int MOST_EVENTS = 5_000;
    private static final int MOST_LINES = 20;
    private static final int LONGEST_LINE = 400;
    private static final Template PAGE = Template.of(WorldPage.class, "/page/world.html");

    private WorldPage() {}

    /// @param chosen events of the list; the picture has all
    /// @param message whose row is drawn, by the number of its client; 0 for all
    /// @param title names the file
    public static String of(WorldHistory history, Predicate<WorldStep> chosen, int message, String title) {
        WorldStory story = new WorldStory();
        List<ToldStep> all = history.events().stream().map(story::read).toList();
        List<ToldStep> listed = all.stream().filter(each -> chosen.test(each.step())).toList();
        StripPicture picture = new StripPicture(story.rows(history.plan(), message),
                history.events().stream().map(WorldStep::millis).toList());
        Map<String, Object> values = new TreeMap<>();
        values.put("style", LivePictures.style());
        values.put("title", title);
        values.put("plan", bounded(String.join(", ", history.plan())));
        values.put("troubles", history.troubles().stream().map(WorldPage::bounded).toList());
        values.put("remarks", remarks(listed.size(), all.size(), message == 0 ? story.messages() : 1));
        values.put("picture", picture.markup("The states of the server and of each message over time"));
        values.put("events", listed.stream().limit(MOST_EVENTS)
                .map(each -> Map.of("second", each.step().second(), "x", picture.x(each.step().millis()), "kind",
                        each.kind(), "key", each.message() == 0 ? "" : String.valueOf(each.message()), "state",
                        each.state(), "text", bounded(each.step().text())))
                .toList());
        return PAGE.fill(values);
    }

    private static List<String> remarks(int listed, int all, int messages) {
        List<String> remarks = new ArrayList<>();
        if (listed > MOST_EVENTS) {
            remarks.add("Only the first " + MOST_EVENTS + " of " + listed
                    + " events are listed; --from chooses others.");
        }
        if (listed < all) {
            remarks.add("Of " + all + " events " + listed + " were chosen; the picture has all.");
        }
        if (messages > WorldStory.MOST_MESSAGES) {
            remarks.add("Only the first " + WorldStory.MOST_MESSAGES + " of " + messages
                    + " messages have a row; --message chooses another one.");
        }
        return remarks;
    }

    private static String bounded(String text) {
        return text.lines().limit(MOST_LINES)
                .map(line -> line.length() > LONGEST_LINE ? line.substring(0, LONGEST_LINE) + "…" : line)
                .map(line -> Controls.replaced(line.replace('\t', ' '))).collect(Collectors.joining("\n"));
    }
}
