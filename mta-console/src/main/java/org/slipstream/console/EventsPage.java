package org.slipstream.console;

import org.slipstream.admin.operations.ServerLog.ServerEvent;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.util.List;
import java.util.Map;

/// The latest events of the server itself: starts, reloads, orders with their authors, troubles.
final class EventsPage implements ConsolePage {
    private static final int MOST_ROWS = 150;
    private static final int MOST_TEXT = 240;
    private static final Template PAGE = Template.of(EventsPage.class, "/console/events.html");

    @Override
    public PageView view(PageRequest request) {
        List<ServerEvent> events = request.api().list(ServerEvent.class, "log", "events");
        return PageView.moving("Events",
                PAGE.markup(Map.of("rows", events.stream().limit(MOST_ROWS)
                        .map(each -> Map.of("at", Moments.text(each.at()), "level", each.level(), "event",
                                each.event(), "text", FormText.start(each.text(), MOST_TEXT)))
                        .toList())),
                Markup.NONE);
    }
}
