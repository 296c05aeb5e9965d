package org.slipstream.console;

import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.picture.Template;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The search for messages that may have left the queue.
final class TracePage implements ConsolePage {
    private static final int MOST = 50;
    private static final Template PAGE = Template.of(TracePage.class, "/console/trace.html");

    @Override
    public PageView view(PageRequest request) {
        Optional<String> wanted = request.query().get("of");
        Optional<TraceResult> found = wanted.map(text -> request.api().get(TraceResult.class, "trace",
                FormText.query(Map.of("of", text, "limit", Integer.toString(MOST)))));
        return PageView.still("Trace", PAGE.markup(Map.of("of", wanted.orElse(""), "rows",
                found.map(TraceResult::messages).orElse(List.of()).reversed().stream().map(TracePage::row).toList(),
                "none", found.isPresent() && found.get().messages().isEmpty() ? List.of("") : List.of(), "more",
                found.isPresent() && found.get().more() ? List.of("") : List.of())));
    }

    private static Map<String, Object> row(MessageTrace trace) {
        return Map.of("id", trace.id(), "sender", OneMessagePage.sender(trace.sender()), "recipients",
                String.join(" ", trace.recipients().stream().limit(3).toList())
                        + (trace.recipients().size() > 3 ? " and " + (trace.recipients().size() - 3) : ""),
                "state", trace.state(), "at",
                trace.events().isEmpty() ? "" : Moments.text(trace.events().getFirst().at()));
    }
}
