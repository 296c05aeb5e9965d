package org.slipstream.console;

import org.slipstream.admin.ApiAccess;
import org.slipstream.admin.ApiCaller;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.admin.operations.ViewOperations.ShapePage;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.core.order.Right;
import org.slipstream.picture.LivePictures;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The first page: what flows, what waits and how long, what is wrong.
final class OverviewPage implements ConsolePage {
    private static final int MOST_ROWS = 15;
    private static final List<String> AGES = List.of("5m", "10m", "20m", "40m", "80m", "160m", "320m", "640m",
            "1280m", "older");
    private static final Template PAGE = Template.of(OverviewPage.class, "/console/overview.html");

    private final FlowHistory history;
    private final Asking asking;
    private final List<RepeatedLook> looks;
    private volatile Optional<Ages> latest = Optional.empty();

    /// @param partly true when the queue is longer than what was read
    private record Ages(long[] counts, boolean partly) {}

    OverviewPage(ApiAccess api) {
        this.asking = new Asking(api, new ApiCaller("console", Right.READ, true));
        this.history = new FlowHistory(asking);
        this.looks = List.of(new RepeatedLook("console-history", history::look),
                new RepeatedLook("console-ages", this::readAges));
        looks.forEach(RepeatedLook::start);
    }

    /// The ages of the oldest thousand messages. They are read beside the page, which never waits for them.
    private void readAges() {
        ShapePage shape = asking.get(ShapePage.class, "queue/shape", "");
        long[] counts = new long[AGES.size()];
        for (ShapeRow row : shape.rows()) {
            for (int i = 0; i < counts.length; i++) {
                counts[i] += row.ages().get(i);
            }
        }
        latest = Optional.of(new Ages(counts, shape.next().isPresent()));
    }

    @Override
    public PageView view(PageRequest request) {
        Activity now = request.api().get(Activity.class, "destinations", "");
        Ages ages = latest.orElseGet(() -> new Ages(new long[AGES.size()], false));
        Map<String, Object> values = new HashMap<>();
        values.put("hostname", now.hostname());
        values.put("started", Moments.text(now.started()));
        values.put("at", Moments.text(now.at()));
        // A figure that is not known is never shown as 0.
        values.put("messages", known(now.messages()));
        values.put("held", known(now.held()));
        values.put("active", now.active());
        values.put("connections", now.connections().open() + " of " + now.connections().most());
        values.put("ages", LivePictures.ages(AGES, ages.counts()));
        values.put("ages-partly", ages.partly() ? List.of("") : List.of());
        values.put("minutes", LivePictures.curves(history.seconds(), "the last 15 minutes, messages per second"));
        values.put("day", LivePictures.curves(history.minutes(), "the last 24 hours, messages per minute"));
        values.put("troubles", now.trouble().stream().map(OverviewPage::trouble).toList());
        values.put("fine", now.trouble().isEmpty() ? List.of("") : List.of());
        values.put("suspensions", now.suspensions().stream()
                .map(each -> Map.of("what", each.scope() + " " + each.name(), "reason", each.reason(), "author",
                        each.author(), "until", each.until().isEmpty() ? "it is resumed" : Moments.text(each.until())))
                .toList());
        values.put("destinations", now.destinations().stream().limit(MOST_ROWS).map(OverviewPage::row).toList());
        return PageView.moving("Overview", PAGE.markup(values), Markup.NONE);
    }

    void close() {
        looks.forEach(RepeatedLook::close);
    }

    private static String known(Optional<Long> figure) {
        return figure.map(String::valueOf).orElse("—");
    }

    private static Map<String, Object> trouble(TroubleView trouble) {
        return Map.of("what", trouble.what(), "since", Moments.text(trouble.since()), "meaning", trouble.meaning(),
                "reason",
                trouble.reason());
    }

    private static Map<String, Object> row(BusyDestination row) {
        return Map.of("name", row.nextHop(), "path", FormText.inPath(row.nextHop()), "transport", row.transport(),
                "state", row.state(), "waiting", row.waiting(), "running", row.running(), "window",
                row.window() + (row.limit() > 0 ? " of " + row.limit() : ""), "reply", row.lastError());
    }
}
