package org.slipstream.config;

import org.slipstream.config.Config.SenderHosts;
import org.slipstream.core.Address;
import org.slipstream.local.address.AddressTables;
import org.slipstream.local.address.AddressTables.CopyRules;
import org.slipstream.local.address.AddressTables.CopySettings;
import org.slipstream.local.address.AddressTables.RewriteSettings;
import org.slipstream.local.address.AddressTables.Rewriting;
import org.slipstream.local.address.LookupTable;
import org.slipstream.local.address.MapFile;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.settings.Complaints;
import org.slipstream.settings.LogicalLine;
import org.slipstream.settings.NamedFiles;
import org.slipstream.settings.Values;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Reads [AddressTables]. A result that is no address is reported with its line, as far as it does
/// not depend on the key.
final class AddressTablesReader {
    private static final String SENDER_HOSTS = "smarthost.sender-maps";

    private final Values values;
    private final NamedFiles files;
    private final Complaints complaints;
    private final TransportTable transports;

    /// @param transports that lines of a table may name
    AddressTablesReader(Values values, NamedFiles files, TransportTable transports) {
        this.transports = transports;
        this.values = values;
        this.files = files;
        this.complaints = files.complaints();
    }

    AddressTables read() {
        RewriteSettings rewrite = values.record(RewriteSettings.class);
        CopySettings copy = values.record(CopySettings.class);
        List<MapFile> virtual = values.record(AliasFiles.Names.class).virtualMaps().stream().filter(MapFile::patterns)
                .toList();
        return new AddressTables(tables("local.virtual-maps", virtual),
                new Rewriting(tables("rewrite.sender-maps", rewrite.senderMaps()),
                        tables("rewrite.recipient-maps", rewrite.recipientMaps()),
                        tables("rewrite.maps", rewrite.maps()), rewrite.masqueradeDomains(),
                        rewrite.masqueradeExceptions()),
                new CopyRules(copy.always(), tables("copy.sender-maps", copy.senderMaps()),
                        tables("copy.recipient-maps", copy.recipientMaps())));
    }

    private List<LookupTable> tables(String key, List<MapFile> maps) {
        return maps.stream().map(map -> LookupTableReader.read(key, map, files)).toList();
    }

    /// The smart hosts by sender: `user@domain` or `@domain`, in lower case.
    ///
    /// @param routes of `[routes]`
    /// @param ours the addresses of the listeners
    Map<String, RouteTarget> senderRoutes(Map<String, RouteTarget> routes, Collection<InetSocketAddress> ours) {
        Map<String, RouteTarget> found = new LinkedHashMap<>();
        for (MapFile map : values.record(SenderHosts.class).senderMaps()) {
            if (map.patterns()) {
                complaints.add(values.place(SENDER_HOSTS), SENDER_HOSTS,
                        SENDER_HOSTS + ": patterns are not supported here; write one line for each sender");
            } else {
                files.logicalLines(SENDER_HOSTS, map.path()).forEach(line -> host(line, found, routes, ours));
            }
        }
        return found;
    }

    private void host(LogicalLine line, Map<String, RouteTarget> found, Map<String, RouteTarget> routes,
            Collection<InetSocketAddress> ours) {
        String[] words = line.text().split("\\s+", 2);
        String sender = words[0].toLowerCase(Locale.ROOT);
        boolean isSender = sender.startsWith("@")
                ? Address.isDomain(sender.substring(1))
                : Address.parse(sender).isPresent();
        if (words.length < 2 || !isSender) {
            complain(line, "a line is \"user@domain host\" or \"@domain host\"");
        } else if (!words[1].equalsIgnoreCase("DUNNO")) {
            Optional<RouteTarget.Fixed> target = target(words[1]);
            target.ifPresentOrElse(fixed -> {
                RouteBook.conflict(fixed, routes.values(), ours).ifPresent(what -> complain(line, what));
                found.putIfAbsent(sender, fixed);
            }, () -> complain(line, "\"" + words[1] + "\" is not a smart host: \"[host]:port\", \"smtp:host:port\" or"
                    + " \"smtps:host\""));
        }
    }

    /// A route of `[routes]`, or a next hop of Postfix.
    private Optional<RouteTarget.Fixed> target(String text) {
        return RouteBook.target(text, transports).or(() -> RouteBook.target("smtp:" + text))
                .filter(RouteTarget.Fixed.class::isInstance).map(RouteTarget.Fixed.class::cast);
    }

    private void complain(LogicalLine line, String what) {
        complaints.add(line.place(), SENDER_HOSTS, what);
    }
}
