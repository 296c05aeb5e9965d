package org.slipstream.console;

import org.slipstream.admin.operations.ExplainOperations.Subject;
import org.slipstream.admin.operations.ExplainOperations.SubjectExplanation;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.picture.LivePictures;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A destination, a host or a sender: what waits there, why, and the orders for it.
final class SubjectPage implements ConsolePage {
    private static final Template PAGE = Template.of(SubjectPage.class, "/console/subject.html");
    private static final Template ORDERS = Template.of(SubjectPage.class, "/console/subject-orders.html");

    /// A page reads no more messages than that each second; the command `mta explain` reads more.
    static final int MOST_READ = 200;

    private final Subject subject;
    private final String word;

    SubjectPage(Subject subject) {
        this.subject = subject;
        this.word = subject.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public PageView view(PageRequest request) {
        String name = request.rest();
        SubjectExplanation explained = request.api().get(SubjectExplanation.class, "explain",
                FormText.query(Map.of(word, name, "most", Integer.toString(MOST_READ))));
        Map<String, Object> values = new HashMap<>();
        values.put("subject", word);
        values.put("name", name);
        values.put("state", explained.state());
        values.put("waiting", (explained.examined() ? "" : "at least ") + explained.waiting());
        values.put("oldest", Moments.text(explained.oldest()));
        values.put("next", Moments.text(explained.next()));
        values.put("text", explained.text());
        values.put("reasons", explained.reasons().stream().map(
                each -> Map.of("reason", each.reason(), "messages", each.messages(), "example", each.example()))
                .toList());
        values.put("windows", subject == Subject.DESTINATION ? windows(request, name) : List.of());
        values.put("queue", switch (subject) {
            case DESTINATION -> List.of("/queue?domain=" + FormText.encoded(name));
            case SENDER -> List.of("/queue?sender=" + FormText.encoded(name.contains("@") || name.equals("<>")
                    ? name
                    : "*@" + name));
            case HOST -> List.of();
        });
        Markup orders = ORDERS.markup(Map.of("kind", word, "name", name, "key", request.visitor().formKey(), "back",
                request.uri(), "window", subject == Subject.DESTINATION ? List.of("window:" + name) : List.of()));
        return PageView.moving(name, PAGE.markup(values), orders);
    }

    private static List<Map<String, Object>> windows(PageRequest request, String name) {
        return request.api().get(Activity.class, "destinations", "").destinations().stream()
                .filter(each -> each.nextHop().equalsIgnoreCase(name)).map(SubjectPage::window).toList();
    }

    private static Map<String, Object> window(BusyDestination row) {
        boolean idle = row.state().equals("idle");
        return Map.of("picture",
                idle ? Markup.NONE : LivePictures.window(row.window(), row.limit(), row.running(), row.waiting()),
                "title", idle ? "Latest error" : "Window of " + row.transport(), "state",
                idle ? "" : ": " + row.state() + (row.until().isEmpty() ? "" : " until " + Moments.text(row.until())),
                "reply", row.lastError().isEmpty()
                        ? List.of()
                        : List.of(Map.of("text", row.lastError(), "at", Moments.text(row.lastErrorAt()))));
    }
}
