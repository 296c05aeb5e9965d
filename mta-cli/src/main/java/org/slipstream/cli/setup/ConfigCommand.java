package org.slipstream.cli.setup;

import org.slipstream.admin.operations.ConfigurationOperations.ConfigurationView;
import org.slipstream.admin.operations.ConfigurationOperations.SettingView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.text.Controls;
import org.slipstream.settings.EffectiveSetting;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// `config`: the settings in effect, with the place of each.
@Command(header = "Shows the settings that differ from the defaults, with their places.",
        description = "The settings are read as a start does: the file, the environment, --set. No server need run. With"
                + " --running the server is asked, and a mark says what differs from the file: `reload`"
                + " (mta reload puts it into force) or `restart` (it takes effect at the next start).",
        parameterListHeading = "%nParameters:%n",
        exitCodeList = {Exit.DONE_TEXT, " 1:no such key, or no key with these letters", Exit.USAGE_TEXT,
                Exit.UNREACHABLE_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta config", "  mta config queue.lanes", "  mta config --running",
                "  mta config --all --json | jq '.settings[] | select(.restart != \"\")'"})
public final class ConfigCommand implements MtaAction {
    private static final String RESTART = "restart";

    @Parameters(paramLabel = "KEY", arity = "0..1", description = "one setting with its default, meaning and place")
    private String key = "";

    @Option(names = "--all", description = "also settings that have their default")
    private boolean all;

    @Option(names = "--running", description = "ask the running server, and mark what differs from the file")
    private boolean running;

    @Option(names = "--set", paramLabel = "KEY=VALUE",
            description = "a setting that overrides mta.toml; may be repeated")
    private List<String> overrides = List.of();

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    /// A setting, and what the file says about it.
    ///
    /// @param pending empty, `reload` or `restart`: what puts the value of the file into force
    /// @param file the value of the file, if it is another
    record ShownSetting(String key, String value, String standard, boolean differs, String place, String doc,
            String restart, String pending, String file) {
        static ShownSetting of(EffectiveSetting one) {
            return new ShownSetting(one.key(), one.value(), one.standard(), one.differs(), one.place(), one.doc(),
                    one.restart(), "", "");
        }

        static ShownSetting of(SettingView one, String pending, String file) {
            return new ShownSetting(one.key(), one.value(), one.standard(), one.differs(), one.place(), one.doc(),
                    one.restart(), pending, file);
        }
    }

    private record ShownSettings(List<ShownSetting> settings) {}

    @Override
    public int run(MtaCommand mta) {
        List<EffectiveSetting> written = LoadedConfig.read(mta.settings(), overrides).written().settings();
        List<ShownSetting> every = running
                ? compared(asked(mta), written)
                : written.stream().map(ShownSetting::of).toList();
        List<ShownSetting> shown = every.stream().filter(this::isShown).toList();
        if (!key.isEmpty() && shown.isEmpty()) {
            throw new CommandFailure(Exit.NO, "mta: there is no setting " + Controls.replaced(key)
                    + " (mta config --all shows all)");
        }
        PrintStream out = mta.world().out();
        if (json) {
            out.println(RecordJson.write(new ShownSettings(shown)));
        } else if (key.isEmpty()) {
            print(shown, out);
        } else {
            shown.forEach(each -> explain(each, out));
        }
        return Exit.DONE;
    }

    private boolean isShown(ShownSetting setting) {
        return key.isEmpty() ? all || setting.differs() || !setting.pending().isEmpty() : setting.key().equals(key);
    }

    /// Settings whose value in the file takes effect at the next start of the running server.
    ///
    /// @throws CommandFailure when no server answers
    static List<ShownSetting> waitingForStart(MtaCommand mta, List<EffectiveSetting> written) {
        return compared(asked(mta), written).stream().filter(each -> each.pending().equals(RESTART)).toList();
    }

    private static List<SettingView> asked(MtaCommand mta) {
        try (AdminClient server = AdminClient.of(mta)) {
            return RecordJson.read(server.ask("GET", "configuration").orElseThrow(), ConfigurationView.class)
                    .settings();
        }
    }

    /// The server was perhaps started with --set, which this command does not know: such a setting is
    /// stronger than the file.
    private static List<ShownSetting> compared(List<SettingView> server, List<EffectiveSetting> written) {
        Map<String, EffectiveSetting> file = new LinkedHashMap<>();
        written.forEach(each -> file.put(each.key(), each));
        List<ShownSetting> compared = new ArrayList<>();
        for (SettingView each : server) {
            EffectiveSetting there = file.remove(each.key());
            String value = there == null ? "" : there.value();
            boolean same = each.place().equals("--set") || value.equals(each.value());
            compared.add(ShownSetting.of(each, same ? "" : pending(each.restart()), same ? "" : value));
        }
        file.values().stream().filter(each -> each.standard().isEmpty()).forEach(each -> compared
                .add(new ShownSetting(each.key(), "", each.standard(), true, each.place(), each.doc(), each.restart(),
                        pending(each.restart()), each.value())));
        return compared;
    }

    private static String pending(String restart) {
        return restart.isEmpty() ? "reload" : RESTART;
    }

    private void print(List<ShownSetting> shown, PrintStream out) {
        if (running) {
            Table table = new Table("KEY", "VALUE", "PLACE", "PENDING", "IN THE FILE");
            shown.forEach(each -> table.add(each.key(), orDash(each.value()), each.place(), orDash(each.pending()),
                    orDash(each.file())));
            table.lines().forEach(out::println);
            return;
        }
        Table table = new Table("KEY", "VALUE", "DEFAULT", "PLACE");
        shown.forEach(each -> table.add(each.key(), each.value(), orDash(each.standard()), each.place()));
        table.lines().forEach(out::println);
    }

    private static String orDash(String text) {
        return text.isEmpty() ? "-" : text;
    }

    private static void explain(ShownSetting setting, PrintStream out) {
        Table facts = new Table("setting", setting.key());
        facts.add("value", orDash(setting.value()));
        facts.add("place", setting.place());
        facts.add("default", orDash(setting.standard()));
        facts.add("a change", setting.restart().isEmpty()
                ? "takes effect with mta reload"
                : "takes effect at the next start: " + setting.restart());
        if (!setting.pending().isEmpty()) {
            facts.add("pending", setting.pending() + ": the file says " + orDash(setting.file()));
        }
        facts.add("meaning", Objects.requireNonNull(setting.doc()));
        facts.lines().forEach(out::println);
    }
}
