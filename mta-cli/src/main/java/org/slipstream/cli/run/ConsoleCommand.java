package org.slipstream.cli.run;

import org.slipstream.admin.operations.ConsoleOperations.LinkView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.Optional;

/// `console`: a link that opens the console.
@Command(header = "Makes a link that opens the console once.",
        description = {
                "The link works for two minutes and once; the browser stays logged in after that. The console is on"
                        + " when `listen.console` names an address.",
                "From another machine, open a tunnel first: ssh -L 8025:127.0.0.1:8025 HOST"},
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
        footer = {"  mta console", "  mta console --rights read"})
public final class ConsoleCommand implements MtaAction {
    @Option(names = "--rights", paramLabel = "RIGHTS",
            description = "read, operate or administrate; administrate if absent")
    private Optional<String> rights = Optional.empty();

    @Option(names = "--json", description = "as the server's JSON")
    private boolean json;

    @Override
    public int run(MtaCommand mta) {
        String answer = ask(mta, rights);
        mta.world().out().println(json ? answer : RecordJson.read(answer, LinkView.class).url());
        return Exit.DONE;
    }

    static String ask(MtaCommand mta, Optional<String> rights) {
        return AdminClient.order(mta, "console/link" + rights.map(AdminClient::encoded).map(word -> "?right=" + word)
                .orElse(""), () -> new CommandFailure(Exit.NO, "mta: this server has no console"));
    }
}
