package org.slipstream.cli.setup;

import org.slipstream.admin.operations.ConfigurationOperations.ReloadView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintStream;
import java.util.stream.Collectors;

/// `reload`: the running server reads its settings again.
@Command(header = "The running server reads its settings again.",
        description = "The new settings take effect at once, without closing a connection or ending a delivery. Sessions and"
                + " connections in progress keep theirs. Settings that need a restart are listed. A mistake"
                + " changes nothing. SIGHUP does the same, with the result in the log.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta reload", "  mta reload --json | jq '.restart[].key'"})
public final class ReloadCommand implements MtaAction {
    @Option(names = "--json", description = "as the server's JSON")
    private boolean json;

    @Override
    public int run(MtaCommand mta) {
        try (AdminClient server = AdminClient.of(mta)) {
            String body = server.ask("POST", "reload?author="
                    + AdminClient.encoded(System.getProperty("user.name", ""))).orElseThrow();
            ReloadView view = RecordJson.read(body, ReloadView.class);
            if (json) {
                mta.world().out().println(body);
                return view.applied() ? Exit.DONE : Exit.CONFIGURATION;
            }
            if (!view.applied()) {
                throw new CommandFailure(Exit.CONFIGURATION, view.problems().stream().map(Controls::replaced)
                        .collect(Collectors.joining(System.lineSeparator()))
                        + System.lineSeparator() + "mta: nothing has changed; the server keeps its settings");
            }
            print(view, mta.world().out());
            return Exit.DONE;
        }
    }

    private static void print(ReloadView view, PrintStream out) {
        view.changed().forEach(key -> out.println(Controls.replaced(key) + " changed; in force now"));
        view.restart().forEach(each -> out.println(Controls.replaced(each.key())
                + " changed; takes effect at the next start: " + each.reason()));
        view.remarks().forEach(remark -> out.println(Controls.replaced(remark)));
        if (view.changed().isEmpty() && view.restart().isEmpty()) {
            out.println("no setting changed; files that the settings name were read again");
        }
    }
}
