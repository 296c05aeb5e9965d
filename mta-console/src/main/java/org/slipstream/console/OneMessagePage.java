package org.slipstream.console;

import org.slipstream.admin.operations.ExplainOperations.MessageExplanation;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.TraceEvent;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// One message: why it waits, its gates, its recipients, and its life as a time line on which
/// repeated attempts with the same result are one line.
final class OneMessagePage implements ConsolePage {
    private static final Template PAGE = Template.of(OneMessagePage.class, "/console/message.html");
    private static final Template GONE = Template.of(OneMessagePage.class, "/console/gone.html");
    private static final Template STORY = Template.of(OneMessagePage.class, "/console/story.html");
    private static final Template ORDERS = Template.of(OneMessagePage.class, "/console/message-orders.html");

    @Override
    public PageView view(PageRequest request) {
        String id = request.rest();
        List<MessageTrace> stories = request.api()
                .get(TraceResult.class, "trace", FormText.query(Map.of("of", id))).messages();
        Markup story = STORY.markup(Map.of("events",
                stories.isEmpty() ? List.of() : folded(stories.getFirst().events()), "complete",
                stories.isEmpty() || !stories.getFirst().complete() ? List.of("") : List.of()));
        MessageView message;
        MessageExplanation explained;
        try {
            message = request.api().get(MessageView.class, "queue/" + id, "");
            explained = request.api().get(MessageExplanation.class, "explain", FormText.query(Map.of("message", id)));
        } catch (RefusedException gone) {
            if (gone.status() != 404 || stories.isEmpty()) {
                throw gone;
            }
            return PageView.still(id, GONE.markup(Map.of("id", id, "state", stories.getFirst().state(), "sender",
                    sender(stories.getFirst().sender()), "story", story)));
        }
        Map<String, Object> values = new HashMap<>(MessageRows.row(message));
        values.put("story", story);
        values.put("reason", explained.reason());
        values.put("next", explained.next());
        values.put("release", explained.release().isEmpty() ? List.of() : List.of(explained.release()));
        values.put("next-attempt", Moments.text(message.nextAttempt()));
        values.put("expires", Moments.text(message.expires()));
        values.put("instructions", message.instructions());
        values.put("closed", gates(explained, true));
        values.put("passed", gates(explained, false));
        values.put("all-recipients", message.recipients().stream().limit(100)
                .map(each -> Map.of("address", each.address(), "state", each.state(), "reply", each.lastReply(),
                        "domain-path", FormText.inPath(each.address().substring(each.address().lastIndexOf('@') + 1))))
                .toList());
        values.put("recipient-count", message.recipients().size());
        return PageView.moving(id, PAGE.markup(values), orders(request, id));
    }

    private static Markup orders(PageRequest request, String id) {
        Right right = request.visitor().caller().right();
        List<Map<String, Object>> forms = OrderForm.of(MessageOrder.class).stream()
                .filter(form -> right.includes(form.verb().right()))
                .<Map<String, Object>>map(form -> Map.of("word", form.word(), "does", form.verb().does(), "arguments",
                        form.parts().stream().filter(part -> !part.name().equals(OrderForm.AUTHOR))
                                .map(part -> Map.of("name", part.name(), "says", part.argument().value())).toList(),
                        "grave", form.verb().right() == Right.ADMINISTRATE ? List.of("grave") : List.of()))
                .toList();
        return ORDERS.markup(Map.of("id", id, "forms", forms, "key", request.visitor().formKey(), "back",
                request.uri()));
    }

    /// The gates that are closed, or the others.
    private static List<Map<String, String>> gates(MessageExplanation explained, boolean closed) {
        return explained.gates().stream().filter(gate -> gate.state().equals("closed") == closed)
                .map(gate -> Map.of("reason", gate.reason(), "state", gate.binds() ? "binds" : gate.state(), "since",
                        gate.since().isEmpty() ? "" : "since " + Moments.text(gate.since()), "text", gate.text()))
                .toList();
    }

    static String sender(String sender) {
        return sender.isEmpty() ? "<>" : sender;
    }

    /// Events that follow each other and differ only in their time are one line with their number.
    static List<Map<String, Object>> folded(List<TraceEvent> events) {
        List<Map<String, Object>> lines = new ArrayList<>();
        int i = 0;
        while (i < events.size()) {
            TraceEvent first = events.get(i);
            int end = i + 1;
            while (end < events.size() && isSame(first, events.get(end))) {
                end++;
            }
            lines.add(Map.of("at", Moments.text(first.at()), "event", first.event(), "times",
                    end - i > 1
                            ? List.of(Map.of("count", end - i, "last", Moments.text(events.get(end - 1).at())))
                            : List.of(),
                    "to", String.join(" ", first.recipients().stream().limit(3).toList())
                            + (first.recipients().size() > 3 ? " and " + (first.recipients().size() - 3) : ""),
                    "host", first.host(), "text", first.text(), "took",
                    first.tookMillis() < 0 ? "" : first.tookMillis() + " ms"));
            i = end;
        }
        return lines;
    }

    private static boolean isSame(TraceEvent one, TraceEvent other) {
        return one.event().equals(other.event()) && one.recipients().equals(other.recipients())
                && one.host().equals(other.host())
                && (one.text().equals(other.text()) || one.event().equals("waits"));
    }
}
