package org.slipstream.console;

import org.slipstream.admin.FilterText;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.order.OrderForm;
import org.slipstream.picture.Template;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;

/// The messages of the queue: the filters of the command line, a page at a time.
final class QueueListPage implements ConsolePage {
    private static final int ROWS = 50;
    private static final Template PAGE = Template.of(QueueListPage.class, "/console/queue.html");

    @Override
    public PageView view(PageRequest request) {
        SequencedMap<String, String> query = new LinkedHashMap<>();
        FilterText.NAMES.stream().sorted()
                .forEach(name -> request.query().get(name).ifPresent(value -> query.put(name, value)));
        Map<String, String> filter = Map.copyOf(query);
        String filterQuery = FormText.query(query);
        request.query().get("after").ifPresent(after -> query.put("after", after));
        query.put("limit", Integer.toString(ROWS));
        QueuePage page = request.api().get(QueuePage.class, "queue", FormText.query(query));
        Map<String, Object> values = new HashMap<>();
        values.put("rows", page.messages().stream().map(MessageRows::row).toList());
        values.put("total", page.total());
        values.put("faults", page.faults());
        values.put("next", page.next().map(next -> List.of("/queue?" + filterQuery + (filterQuery.isEmpty() ? "" : "&")
                + "after=" + FormText.encoded(next))).orElse(List.of()));
        values.put("filters", FilterText.NAMES.stream().sorted().filter(name -> !name.equals("state"))
                .map(name -> Map.of("name", name, "value", filter.getOrDefault(name, ""))).toList());
        values.put("states", Stream.of("held", "active", "deferred").map(state -> Map.of("state", state, "chosen",
                state.equals(filter.get("state")) ? List.of("") : List.of())).toList());
        values.put("hidden", filter.entrySet().stream()
                .map(each -> Map.of("name", each.getKey(), "value", each.getValue())).toList());
        values.put("orders", orders());
        values.put("key", request.visitor().formKey());
        values.put("back", request.uri());
        return PageView.still("Queue", PAGE.markup(values));
    }

    /// The orders for messages, from their declarations.
    static List<Map<String, Object>> orders() {
        return OrderForm.of(MessageOrder.class).stream()
                .<Map<String, Object>>map(form -> Map.of("word", form.word(), "does", form.verb().does())).toList();
    }
}
