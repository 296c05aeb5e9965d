package org.slipstream.console;

import org.slipstream.admin.operations.ConfigurationOperations.ConfigurationView;
import org.slipstream.admin.operations.ConfigurationOperations.SettingView;
import org.slipstream.picture.Template;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The settings in force: value, default and source of each.
final class SettingsPage implements ConsolePage {
    private static final Template PAGE = Template.of(SettingsPage.class, "/console/settings.html");

    @Override
    public PageView view(PageRequest request) {
        String find = request.query().get("find").orElse("").toLowerCase(Locale.ROOT);
        boolean all = request.query().get("all").isPresent() || !find.isEmpty();
        List<SettingView> settings = request.api().get(ConfigurationView.class, "configuration", "").settings();
        return PageView.still("Settings", PAGE.markup(Map.of("find", find, "rows", settings.stream()
                .filter(each -> all || each.differs())
                .filter(each -> (each.key() + " " + each.doc()).toLowerCase(Locale.ROOT).contains(find))
                .map(each -> Map.of("name", each.key(), "value", each.value(), "standard", each.standard(), "place",
                        each.place(), "doc", each.doc(), "differs", each.differs() ? List.of("") : List.of()))
                .toList(), "only", all ? List.of() : List.of(""), "key", request.visitor().formKey(), "back",
                request.uri())));
    }
}
