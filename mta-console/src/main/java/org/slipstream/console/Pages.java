package org.slipstream.console;

import org.slipstream.admin.ApiAccess;
import org.slipstream.admin.operations.ExplainOperations.Subject;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;

/// The pages by the first word of their path, and the orders.
final class Pages {
    /// In the order of the navigation; an empty title: not in it.
    private static final SequencedMap<String, String> TITLES = titles();

    private static final Set<String> NO_ARGUMENTS = Set.of("do", "key", "back", "sure", OrderForm.AUTHOR);
    /// A form has this name for its own key, so its field for the limit is `limit`.
    private static final String LIMIT_KEY = "key";

    private final OverviewPage overview;
    private final Map<String, ConsolePage> pages;
    private final BulkOrders bulk = new BulkOrders();
    private final LabPage lab = new LabPage();

    /// The effect of a form.
    sealed interface OrderResult {
        /// @param sentence shown on the page that the form belongs to
        record Said(String sentence) implements OrderResult {}

        record Shown(PageView view) implements OrderResult {}

        /// @param path of the page that shows the result
        record Moved(String path) implements OrderResult {}
    }

    Pages(ApiAccess api) {
        this.overview = new OverviewPage(api);
        this.pages = Map.ofEntries(Map.entry("", overview), Map.entry("queue", new QueueListPage()),
                Map.entry("message", new OneMessagePage()), Map.entry("scheduler", new SchedulerPage()),
                Map.entry("destination", new SubjectPage(Subject.DESTINATION)),
                Map.entry("host", new SubjectPage(Subject.HOST)), Map.entry("sender", new SubjectPage(Subject.SENDER)),
                Map.entry("hosts", new HostsPage()), Map.entry("orders", new OrdersPage()),
                Map.entry("suppressions", new SuppressionsPage()), Map.entry("shards", new ShardsPage()),
                Map.entry("settings", new SettingsPage()),
                Map.entry("trace", new TracePage()), Map.entry("events", new EventsPage()),
                Map.entry("yesterday", new YesterdayPage()), Map.entry("lab", lab));
    }

    void close() {
        overview.close();
    }

    private static SequencedMap<String, String> titles() {
        SequencedMap<String, String> titles = new LinkedHashMap<>();
        titles.put("", "Overview");
        titles.put("queue", "Queue");
        titles.put("scheduler", "Scheduler");
        titles.put("yesterday", "Yesterday");
        titles.put("hosts", "Hosts");
        titles.put("trace", "Trace");
        titles.put("orders", "Suspensions and limits");
        titles.put("suppressions", "Suppressions");
        titles.put("events", "Events");
        titles.put("shards", "Shards");
        titles.put("settings", "Settings");
        titles.put("lab", "Lab");
        return titles;
    }

    static List<Map<String, Object>> navigation(String path) {
        return TITLES.entrySet().stream()
                .<Map<String, Object>>map(each -> Map.of("href", "/" + each.getKey(), "title", each.getValue(), "here",
                        each.getKey().equals(word(path)) ? List.of("page") : List.of()))
                .toList();
    }

    private static String word(String path) {
        int end = path.indexOf('/', 1);
        return path.isEmpty() ? "" : path.substring(1, end < 0 ? path.length() : end);
    }

    /// @throws RefusedException when there is no such page
    ConsolePage find(String path) {
        ConsolePage page = pages.get(word(path));
        if (page == null) {
            throw new RefusedException(404, "There is no page " + path + ".");
        }
        return page;
    }

    /// The part of the path behind the name of the page.
    String rest(String path) {
        int end = path.indexOf('/', 1);
        return end < 0 ? "" : path.substring(end + 1);
    }

    /// Carries out the order of a form.
    OrderResult order(String path, FormText form, Asking asking, Visitor visitor) {
        return switch (path) {
            case "/order" -> new OrderResult.Said(one(form, asking));
            case "/order/selected" -> new OrderResult.Said(bulk.selected(form, asking));
            case "/order/look" -> new OrderResult.Shown(bulk.look(form, asking, visitor));
            case "/order/run" -> new OrderResult.Said(bulk.run(form, asking, visitor));
            case LabPage.FORM -> new OrderResult.Moved(lab.keep(form));
            default -> throw new RefusedException(404, "There is no order " + path + ".");
        };
    }

    /// One order of the API. Its rights, words and bounds are those of the API.
    private static String one(FormText form, Asking asking) {
        String path = form.get("do").orElseThrow(() -> new RefusedException(400, "The form has no order."));
        Map<String, String> arguments = new LinkedHashMap<>();
        if (isGrave(path) && form.get("sure").isEmpty()) {
            return "Not done: this order needs the tick that says it is meant.";
        }
        form.fields().keySet().stream().filter(name -> !NO_ARGUMENTS.contains(name))
                .forEach(name -> form.get(name)
                        .ifPresent(value -> arguments.put(name.equals("limit") ? LIMIT_KEY : name, value)));
        try {
            asking.order(path, FormText.query(arguments));
            return "Done: " + path.replace('/', ' ') + ".";
        } catch (RefusedException refused) {
            return "Not done: " + refused.sentence();
        }
    }

    /// True for an order with the greatest right, such as delete.
    private static boolean isGrave(String path) {
        return path.startsWith("queue/") && OrderForm.of(MessageOrder.class).stream()
                .anyMatch(form -> form.verb().right() == Right.ADMINISTRATE && path.endsWith("/" + form.word()));
    }
}
