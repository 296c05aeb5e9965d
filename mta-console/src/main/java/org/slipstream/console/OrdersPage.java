package org.slipstream.console;

import org.slipstream.admin.operations.StandingOrders.LimitView;
import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.picture.Template;

import java.util.List;
import java.util.Map;

/// The orders that stay in force: suspensions, the freeze, and limits.
final class OrdersPage implements ConsolePage {
    private static final Template PAGE = Template.of(OrdersPage.class, "/console/orders.html");

    @Override
    public PageView view(PageRequest request) {
        List<SuspensionView> suspensions = request.api().list(SuspensionView.class, "suspensions", "suspensions");
        List<LimitView> limits = request.api().list(LimitView.class, "limits", "limits");
        return PageView.still("Suspensions and limits", PAGE.markup(Map.of("suspensions",
                suspensions.stream().map(each -> Map.of("kind", each.scope(), "name", each.name(), "reason",
                        each.reason(), "author", each.author(), "since", Moments.text(each.since()), "until",
                        each.until().isEmpty() ? "it is resumed" : each.until(), "order",
                        each.scope().equals("everything") ? "thaw" : "suspensions/resume", "named",
                        each.scope().equals("everything") ? List.of() : List.of(""))).toList(),
                "limits", limits.stream().map(each -> Map.of("limit", each.limit(), "number", each.number(), "reason",
                        each.reason(), "author", each.author(), "until",
                        each.until().isEmpty() ? "it is default again" : each.until())).toList(),
                "kinds", List.of("destination", "domain", "sender", "transport", "host"), "key",
                request.visitor().formKey(), "back", request.uri())));
    }
}
