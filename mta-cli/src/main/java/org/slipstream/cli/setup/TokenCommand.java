package org.slipstream.cli.setup;

import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.order.Right;
import org.slipstream.core.text.Controls;
import org.slipstream.guard.login.TokenFile;
import org.slipstream.guard.login.UserFileException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// `token`: the commands for tokens of the admin API, and of programs that hand in mail. They change the
/// file of tokens; a running server sees the change.
@Command(synopsisSubcommandLabel = "COMMAND",
        header = "Shows and changes the tokens of the admin API and of injection.",
        description = "A token gives a program or a person a part of the rights: `read` shows, `operate` changes when"
                + " mail is delivered, `administrate` may do everything. The owner of the server needs none. A token"
                + " with the right `send` hands in mail at `listen.http` in the name of a user, and does nothing else."
                + " Tokens are in the file `api-tokens` of the home folder, hashed.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT},
        footer = {"  mta token add monitor --rights read > monitor.token", "  mta --token-file monitor.token status",
                "  mta token list"})
public final class TokenCommand implements CommandGroup {
    private interface Work {
        void run(TokenFile file) throws IOException, UserFileException;
    }

    private static int on(MtaCommand mta, Work work) {
        return UserCommand.change(mta, "tokens", () -> work.run(TokenFile.in(mta.home())));
    }

    @Command(header = "Makes a token and prints it, once.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT},
            footer = {"  mta token add monitor --rights read > monitor.token",
                    "  mta token add night-shift --rights operate",
                    "  mta token add shop --rights send --user shop@example.org"})
    public static final class TokenAdd implements MtaAction {
        @Parameters(paramLabel = "NAME", description = "the author of its orders in the log")
        private String name;

        @Option(names = "--rights", paramLabel = "RIGHTS", required = true,
                description = "read, operate or administrate, each of which includes those before it; or send")
        private String rights;

        @Option(names = "--user", paramLabel = "USER",
                description = "with send: in whose name it sends (`mta user list`)")
        private Optional<String> user = Optional.empty();

        @Spec
        private CommandSpec spec;

        @Override
        public int run(MtaCommand mta) {
            boolean sends = rights.equals(TokenFile.SEND);
            if (sends != user.isPresent()) {
                throw new ParameterException(spec.commandLine(), sends
                        ? "--rights send needs --user: the user in whose name the token sends"
                        : "--user belongs to --rights send");
            }
            if (sends) {
                return on(mta, file -> mta.world().out().println(file.addSender(name, user.orElseThrow())));
            }
            Right right = Right.of(rights).orElseThrow(() -> new ParameterException(spec.commandLine(),
                    "--rights must be read, operate, administrate or send, not \"" + rights + "\""));
            return on(mta, file -> mta.world().out().println(file.add(name, right)));
        }
    }

    @Command(header = "Lists the tokens by name, with their rights.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT}, footer = "  mta token list")
    public static final class TokenListing implements MtaAction {
        @Option(names = "--json", description = "as JSON")
        private boolean json;

        private record TokenView(String name, String right, String user) {}

        private record TokenViews(List<TokenView> tokens) {}

        @Override
        public int run(MtaCommand mta) {
            return on(mta, file -> {
                List<TokenFile.TokenEntry> tokens = file.list();
                if (json) {
                    mta.world().out().println(RecordJson.write(new TokenViews(tokens.stream()
                            .map(token -> new TokenView(token.name(), token.right(), token.user().orElse("")))
                            .toList())));
                    return;
                }
                if (tokens.isEmpty()) {
                    mta.world().out().println("there are no tokens");
                    return;
                }
                Table table = new Table("NAME", "RIGHTS", "USER");
                tokens.forEach(token -> table.add(token.name(), token.right(), token.user().orElse("")));
                table.lines().forEach(mta.world().out()::println);
            });
        }
    }

    @Command(header = "Removes a token; its next request is refused.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT}, footer = "  mta token remove monitor")
    public static final class TokenRemove implements MtaAction {
        @Parameters(paramLabel = "NAME", description = "as in `token list`")
        private String name;

        @Override
        public int run(MtaCommand mta) {
            return on(mta, file -> {
                file.remove(name);
                mta.world().out().println(Controls.replaced("token " + name + " is removed"));
            });
        }
    }
}
