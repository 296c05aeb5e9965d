package org.slipstream.cli.host;

import org.slipstream.admin.operations.ViewOperations.ProviderView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Optional;

/// `provider`: the providers that receive the mail of many domains.
@Command(header = "Shows the providers that the server knows, with their mail and limits.",
        description = "Limits are set by [provider.NAME] in mta.toml, or for a while by mta limit provider:NAME.",
        footer = {"  mta provider list", "  mta limit provider:google 20 --reason 'they defer us' --for 2h",
                "  mta suspend provider google --reason 'they block us' --for 1h",
                "  mta queue list --provider google"})
public final class ProviderCommand implements CommandGroup {

    @Command(header = "Lists the providers with mail or limits.",
            description = {"Mail of a provider is known by the names of its MX hosts. other is the mail to none of the"
                    + " known ones. WAITING and CONNECTIONS are those of the mail in memory."},
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta provider list", "  mta provider list --all",
                    "  mta provider list --json | jq '.providers[] | select(.waiting > 0) | .name'"})
    public static final class ProviderListing implements MtaAction {
        @Option(names = "--all", description = "those without mail and limits too, with the names of their hosts")
        private boolean all;

        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        private record Found(List<ProviderView> providers) {}

        @Override
        public int run(MtaCommand mta) {
            return AdminClient.show(mta, "providers", json, Found.class, found -> lines(found.providers()));
        }

        private List<String> lines(List<ProviderView> known) {
            List<ProviderView> shown = known.stream().filter(each -> all || isOfInterest(each)).toList();
            if (shown.isEmpty()) {
                return List.of("no provider has mail or limits (mta provider list --all shows those that are known)");
            }
            Table table = new Table("PROVIDER", "DESTINATIONS", "WAITING", "CONNECTIONS", "RATE", "EACH SENDER",
                    all ? "HOSTS" : "");
            shown.forEach(each -> table.add(each.name(), Integer.toString(each.destinations()),
                    Integer.toString(each.waiting()), of(each.connections(), each.lanes()),
                    each.rate().isEmpty() ? "-" : each.started() + " of " + each.rate(), sender(each),
                    all ? hosts(each) : ""));
            return table.lines();
        }

        private static boolean isOfInterest(ProviderView each) {
            return each.destinations() > 0 || each.lanes().isPresent() || !each.rate().isEmpty()
                    || each.senderLanes().isPresent() || !each.senderRate().isEmpty();
        }

        private static String of(int connections, Optional<Integer> limit) {
            return connections + limit.map(most -> " of " + most).orElse("");
        }

        private static String sender(ProviderView each) {
            String lanes = each.senderLanes().map(Object::toString).orElse("");
            String words = (lanes + " " + each.senderRate()).strip();
            return words.isEmpty() ? "-" : words;
        }

        private static String hosts(ProviderView each) {
            return String.join(" ", each.hosts()) + (each.addresses().isEmpty()
                    ? ""
                    : " " + String.join(" ", each.addresses()));
        }
    }
}
