package org.slipstream.console;

import org.slipstream.admin.operations.HostOperations.HostView;
import org.slipstream.admin.operations.HostOperations.Hosts;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The destination database: each known host with its states and connections.
final class HostsPage implements ConsolePage {
    private static final int MOST_ROWS = 100;
    private static final int MOST_REASON = 120;
    private static final Template PAGE = Template.of(HostsPage.class, "/console/hosts.html");

    @Override
    public PageView view(PageRequest request) {
        Hosts hosts = request.api().get(Hosts.class, "destdb", "");
        return PageView.moving("Hosts", PAGE.markup(Map.of("rows",
                hosts.hosts().stream().limit(MOST_ROWS).map(HostsPage::row).toList(), "more",
                hosts.hosts().size() > MOST_ROWS ? List.of(hosts.hosts().size() - MOST_ROWS) : List.of(), "busy",
                hosts.busy(), "workers", hosts.workers(), "opened", hosts.opened(), "none",
                hosts.hosts().isEmpty() ? List.of("") : List.of())), Markup.NONE);
    }

    private static Map<String, Object> row(HostView host) {
        return Map.of("host", host.host(), "path", FormText.inPath(host.host()), "name", host.name(), "states",
                host.states().stream().map(each -> each.state()
                        + (each.until().isEmpty() ? "" : " until " + each.until())
                        + (each.reason().isEmpty() ? "" : ": " + FormText.start(each.reason(), MOST_REASON)))
                        .collect(Collectors.joining("; ")),
                "connections", host.connections().size());
    }
}
