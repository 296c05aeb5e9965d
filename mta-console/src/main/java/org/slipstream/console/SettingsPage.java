package org.slipstream.console;

import org.slipstream.admin.operations.ConfigurationOperations.ConfigurationView;
import org.slipstream.admin.operations.ConfigurationOperations.SettingView;
import org.slipstream.picture.Template;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The settings in force: value, default and source of each.
final class SettingsPage implements ConsolePage {
    private static final int ROWS = 100;
    private static final int MOST_VALUE = 200;
    private static final Template PAGE = Template.of(SettingsPage.class, "/console/settings.html");

    @Override
    public PageView view(PageRequest request) {
        String find = request.query().get("find").orElse("").toLowerCase(Locale.ROOT);
        boolean all = request.query().get("all").isPresent() || !find.isEmpty();
        String after = request.query().get("after").orElse("");
        List<SettingView> matching = request.api().get(ConfigurationView.class, "configuration", "").settings()
                .stream().filter(each -> all || each.differs())
                .filter(each -> (each.key() + " " + each.doc()).toLowerCase(Locale.ROOT).contains(find)).toList();
        List<SettingView> behind = after.isEmpty()
                ? matching
                : matching.stream().dropWhile(each -> !each.key().equals(after)).skip(1).toList();
        List<SettingView> shown = behind.stream().limit(ROWS).toList();
        Map<String, Object> values = new HashMap<>();
        values.put("find", find);
        values.put("rows", shown.stream().map(SettingsPage::row).toList());
        values.put("only", all ? List.of() : List.of(""));
        values.put("next", behind.size() == shown.size()
                ? List.of()
                : List.of("/settings?" + FormText.query(Map.of(
                        "all", all ? "yes" : "", "find", find, "after", shown.getLast().key()))));
        values.put("key", request.visitor().formKey());
        values.put("back", request.uri());
        return PageView.still("Settings", PAGE.markup(values));
    }

    private static Map<String, Object> row(SettingView each) {
        return Map.of("name", each.key(), "value", FormText.start(each.value(), MOST_VALUE), "standard",
                FormText.start(each.standard(), MOST_VALUE), "place", each.place(), "doc", each.doc(), "differs",
                each.differs() ? List.of("") : List.of());
    }
}
