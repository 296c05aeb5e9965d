package org.slipstream.console;

import org.slipstream.admin.operations.ShardOperations.ShardView;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.util.List;
import java.util.Map;

/// The shards with their load.
final class ShardsPage implements ConsolePage {
    private static final Template PAGE = Template.of(ShardsPage.class, "/console/shards.html");

    @Override
    public PageView view(PageRequest request) {
        List<ShardView> shards = request.api().list(ShardView.class, "shards", "shards");
        return PageView.moving("Shards", PAGE.markup(Map.of("rows",
                shards.stream().map(each -> Map.of("number", each.number(), "folder", each.folder(), "mode",
                        each.mode(), "state", each.state(), "local",
                        each.local().used() + " of " + each.local().limit(), "remote",
                        each.remote().used() + " of " + each.remote().limit(), "load",
                        Math.round(each.load()) + " %", "restarts", each.restarts())).toList())),
                Markup.NONE);
    }
}
