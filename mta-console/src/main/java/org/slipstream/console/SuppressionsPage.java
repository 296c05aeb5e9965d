package org.slipstream.console;

import org.slipstream.admin.operations.SuppressionOperations.SuppressionPart;
import org.slipstream.picture.Template;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The addresses that get no mail, a part at a time, and the orders for them.
final class SuppressionsPage implements ConsolePage {
    private static final int ROWS = 100;
    private static final Template PAGE = Template.of(SuppressionsPage.class, "/console/suppressions.html");

    @Override
    public PageView view(PageRequest request) {
        String text = request.query().get("text").orElse("");
        Map<String, String> asked = new HashMap<>(Map.of("text", text, "limit", Integer.toString(ROWS)));
        request.query().get("after").ifPresent(place -> asked.put("after", place));
        SuppressionPart part = request.api().get(SuppressionPart.class, "suppressions", FormText.query(asked));
        Map<String, Object> values = new HashMap<>();
        values.put("text", text);
        values.put("total", part.total());
        values.put("rows", part.suppressions().stream().map(each -> Map.of("recipient", each.recipient(), "from",
                each.from(), "cause", each.cause(), "origin", each.origin(), "since", Moments.text(each.since()),
                "until", each.until().isEmpty() ? "it is removed" : Moments.text(each.until()))).toList());
        values.put("next", part.next()
                .map(next -> List.of("/suppressions?" + FormText.query(Map.of("text", text, "after", next))))
                .orElse(List.of()));
        values.put("key", request.visitor().formKey());
        values.put("back", request.uri());
        return PageView.still("Suppressions", PAGE.markup(values));
    }
}
