package org.slipstream.cli.setup;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.core.Address;
import org.slipstream.core.text.Controls;
import org.slipstream.guard.login.UserFile;
import org.slipstream.guard.login.UserFileException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;

/// `user`: the commands for users. They change the file of users; a running server sees the change.
@Command(synopsisSubcommandLabel = "COMMAND", header = "Shows and changes the users who may log in.",
        description = "Users log in to send mail (listen.submission, listen.submissions). They are in the file `users` of the home"
                + " folder, with their passwords hashed; a running server sees each change at the next login. `show` and `release` ask the"
                + " server.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta user add alice", "  mta user add bob --address bob@example.org --address @lists.example.org",
                "  mta user list", "  mta user show alice", "  mta user release alice"})
public final class UserCommand implements CommandGroup {
    private interface Work {
        void run(UserFile file) throws IOException, UserFileException;
    }

    private static int on(MtaCommand mta, Work work) {
        return change(mta, "users", () -> work.run(UserFile.in(mta.home())));
    }

    interface UserChange {
        void run() throws IOException, UserFileException;
    }

    /// @param of the content of the file, for the sentence of a failure
    static int change(MtaCommand mta, String of, UserChange change) {
        try {
            change.run();
            return Exit.DONE;
        } catch (UserFileException refused) {
            throw new CommandFailure(Exit.NO, "mta: " + Controls.replaced(String.valueOf(refused.getMessage())),
                    refused);
        } catch (IOException trouble) {
            throw new CommandFailure(Exit.NO,
                    "mta: the file of " + of + " in " + mta.home() + " cannot be read or written: " + trouble, trouble);
        }
    }

    private static void say(MtaCommand mta, String sentence) {
        mta.world().out().println(Controls.replaced(sentence));
    }

    @Command(header = "Adds a user.",
            description = "The password is asked for twice at a terminal, and is otherwise the first line of standard input.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CONFIGURATION_TEXT},
            footer = {"  mta user add alice",
                    "  mta user add news --address news@example.org --address @lists.example.org < password"})
    public static final class Add implements MtaAction {
        @Parameters(paramLabel = "NAME", description = "what the user gives when logging in")
        private String name;

        @Option(names = "--address", paramLabel = "ADDRESS",
                description = "an address that the user may send from, `@domain`, or `*`; may be repeated"
                        + " (default: NAME in every local domain)")
        private List<String> addresses = List.of();

        @Override
        public int run(MtaCommand mta) {
            List<String> own = addresses.isEmpty() ? usual(mta) : addresses;
            return on(mta, file -> {
                // Before the operator types a password.
                if (!file.knows(name)) {
                    file.add(name, PasswordSource.read(mta.world(), true), own);
                } else {
                    file.add(name, "", own);
                }
                say(mta, name + " may send as " + (own.isEmpty() ? "no address" : String.join(", ", own)));
                // With mistakes in the settings the addresses are unknown; `check` names them.
                if (ConfigReader.read(mta.settings(), List.of()) instanceof ReadResult.Accepted(Config config)) {
                    config.addressBook(_ -> false).lostReports(own).forEach(why -> say(mta, why));
                }
            });
        }

        private List<String> usual(MtaCommand mta) {
            if (Address.parse(name).isPresent()) {
                return List.of(name);
            }
            Config config = LoadedConfig.read(mta.settings(), List.of());
            return config.local().domains().stream().map(domain -> name + "@" + domain)
                    .filter(address -> Address.parse(address).isPresent()).toList();
        }
    }

    @Command(header = "Changes a user's password.",
            description = "The password is asked for twice at a terminal, and is otherwise the first line of standard input.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT}, footer = "  mta user passwd alice")
    public static final class Passwd implements MtaAction {
        @Parameters(paramLabel = "NAME", description = "as in `user list`")
        private String name;

        @Override
        public int run(MtaCommand mta) {
            return on(mta, file -> {
                file.changePassword(name, file.knows(name) ? PasswordSource.read(mta.world(), true) : "");
                say(mta, name + " has a new password");
            });
        }
    }

    @Command(header = "Lists the users.", exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT},
            footer = "  mta user list")
    public static final class Listing implements MtaAction {
        @Option(names = "--json", description = "as JSON")
        private boolean json;

        private record UserView(String name, boolean scram, List<String> addresses) {}

        private record UserViews(List<UserView> users) {}

        @Override
        public int run(MtaCommand mta) {
            return on(mta, file -> {
                List<UserFile.UserEntry> users = file.list();
                if (json) {
                    mta.world().out().println(RecordJson.write(new UserViews(users.stream()
                            .map(user -> new UserView(user.name(), user.scram(), List.copyOf(user.addresses())))
                            .toList())));
                    return;
                }
                if (users.isEmpty()) {
                    say(mta, "there are no users");
                    return;
                }
                Table table = new Table("NAME", "SCRAM", "SENDS AS");
                users.forEach(user -> table.add(user.name(), user.scram() ? "yes" : "no",
                        user.addresses().isEmpty() ? "-" : String.join(", ", user.addresses())));
                table.lines().forEach(mta.world().out()::println);
            });
        }
    }

    @Command(header = "Removes a user; logged-in sessions continue.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT}, footer = "  mta user remove alice")
    public static final class Remove implements MtaAction {
        @Parameters(paramLabel = "NAME", description = "as in `user list`")
        private String name;

        @Override
        public int run(MtaCommand mta) {
            return on(mta, file -> {
                file.remove(name);
                say(mta, name + " may no longer log in");
            });
        }
    }
}
