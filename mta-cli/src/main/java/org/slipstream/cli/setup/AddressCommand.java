package org.slipstream.cli.setup;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.Address;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.AddressBook.Decision;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.List;

/// `address`: what the settings say about one address. A user of Postfix asks `postmap -q`.
@Command(header = "Shows what aliases and address tables make of an address.",
        description = "The settings and the files that they name are read as a start does; no server need run. The"
                + " lines as-sender and as-recipient hold for mail of own clients.",
        exitCodeList = {Exit.DONE_TEXT, " 1:the domain is local and the address does not exist", Exit.USAGE_TEXT,
                Exit.CONFIGURATION_TEXT},
        footer = {"  mta address sales@example.org", "  mta address sales@example.org --json | jq -r '.recipients[]'"})
public final class AddressCommand implements MtaAction {
    @Parameters(paramLabel = "ADDRESS", description = "user@domain")
    private String address;

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    @Spec
    private CommandSpec spec;

    /// @param meaning `mailbox`, `alias`, `unknown`, or `elsewhere` for another domain
    /// @param recipients who gets the mail in the end
    /// @param copiesFrom who gets a copy of mail from this address
    /// @param copiesTo who gets a copy of mail to this address
    record AddressView(String address, String meaning, List<String> recipients, String asSender, String asRecipient,
            List<String> copiesFrom, List<String> copiesTo) {}

    @Override
    public int run(MtaCommand mta) {
        Address asked = Address.parse(address).orElseThrow(
                () -> new ParameterException(spec.commandLine(), "not an address: " + address));
        AddressView view = view(LoadedConfig.read(mta.settings(), List.of()).addressBook(_ -> false), asked);
        if (json) {
            mta.world().out().println(RecordJson.write(view));
        } else {
            table(view).lines().forEach(mta.world().out()::println);
        }
        return view.meaning().equals("unknown") ? Exit.NO : Exit.DONE;
    }

    private static AddressView view(AddressBook book, Address asked) {
        List<String> itself = List.of(asked.toString());
        return switch (book.decide(asked)) {
            case Decision.Mailbox(Address mailbox) -> view(book, asked, "mailbox", List.of(mailbox.toString()));
            case Decision.Alias(List<Address> targets) -> view(book, asked, "alias", texts(targets));
            case Decision.Unknown _ -> view(book, asked, "unknown", List.of());
            case Decision.Remote _ -> view(book, asked, "elsewhere", itself);
        };
    }

    private static AddressView view(AddressBook book, Address asked, String meaning, List<String> recipients) {
        return new AddressView(asked.toString(), meaning, recipients, book.asSender(asked).toString(),
                book.asRecipient(asked).toString(), texts(book.copiesFrom(asked)), texts(book.copiesTo(asked)));
    }

    private static List<String> texts(List<Address> addresses) {
        return addresses.stream().map(Address::toString).toList();
    }

    private static Table table(AddressView view) {
        Table facts = new Table("address", view.address());
        facts.add("meaning", view.meaning());
        facts.add("recipients", words(view.recipients()));
        facts.add("as-sender", view.asSender());
        facts.add("as-recipient", view.asRecipient());
        facts.add("copies-from", words(view.copiesFrom()));
        facts.add("copies-to", words(view.copiesTo()));
        return facts;
    }

    private static String words(List<String> addresses) {
        return addresses.isEmpty() ? "-" : String.join(" ", addresses);
    }
}
