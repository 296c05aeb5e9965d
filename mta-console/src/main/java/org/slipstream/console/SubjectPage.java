package org.slipstream.console;

import org.slipstream.admin.operations.ExplainOperations.Subject;
import org.slipstream.admin.operations.ExplainOperations.SubjectExplanation;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.admin.operations.ViewOperations.DestinationDetails;
import org.slipstream.admin.operations.ViewOperations.ErrorView;
import org.slipstream.picture.LivePictures;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

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
        Optional<DestinationDetails> details = subject == Subject.DESTINATION
                ? Optional.of(request.api().get(DestinationDetails.class, "destination",
                        FormText.query(Map.of("name", name))))
                : Optional.empty();
        values.put("windows", details.map(each -> each.windows().stream().map(SubjectPage::window).toList())
                .orElse(List.of()));
        values.put("errors", details.filter(each -> !each.errors().isEmpty())
                .map(each -> List.of(Map.of("error", each.errors().stream().map(SubjectPage::error).toList())))
                .orElse(List.of()));
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

    private static Map<String, Object> window(BusyDestination row) {
        return Map.of("picture", LivePictures.window(row.window(), row.limit(), row.running(), row.waiting()),
                "title", "Window of " + row.transport(), "state",
                row.state() + (row.until().isEmpty() ? "" : " until " + Moments.text(row.until())), "reply",
                row.lastError().isEmpty()
                        ? List.of()
                        : List.of(Map.of("text", row.lastError(), "at", Moments.text(row.lastErrorAt()))));
    }

    private static Map<String, Object> error(ErrorView error) {
        return Map.of("reply", error.reply(), "times", error.times(), "first", Moments.text(error.first()), "last",
                Moments.text(error.last()));
    }
}
