package org.slipstream.server;

import org.slipstream.auth.iprev.IprevEvaluation;
import org.slipstream.config.Config;
import org.slipstream.config.RouteTable;
import org.slipstream.config.RouteTarget;
import org.slipstream.core.Reply;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.guard.policy.NameQuestions;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.RouteFinder;
import org.slipstream.smtpout.host.Dns;
import org.slipstream.smtpout.host.DnsHostFinder;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.host.RecordTexts;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Answers the policy's DNS queries with the same routing that outbound mail uses. A sender's
/// domain without a route could not receive a report.
final class DnsNames implements NameQuestions {
    private static final String NULL_MX = "5.1.10";
    private static final String OURSELVES = "5.4.6";

    private final RouteTable routes;
    private final DnsHostFinder hosts;
    private final RecordTexts texts;

    DnsNames(Config config, ClientConfig client, RouteFinder mx) {
        // A smart host for all domains says nothing about a single domain.
        Map<String, RouteTarget> own = new HashMap<>(config.routes());
        own.remove("*");
        this.routes = RouteTable.of(config, own, mx);
        this.hosts = new DnsHostFinder(new Dns(client.dnsServers()));
        this.texts = new RecordTexts(client.dnsServers());
    }

    /// Records of any domain, without the routes.
    DnsLookup records() {
        return texts;
    }

    @Override
    public Addresses ip4(String name) {
        return switch (hosts.ip4InDns(name)) {
            case HostFinder.HostAnswer.Found(List<InetAddress> addresses) -> new Addresses.Found(addresses);
            case HostFinder.HostAnswer.None _ -> new Addresses.None();
            case HostFinder.HostAnswer.Trouble _ -> new Addresses.Trouble();
        };
    }

    @Override
    public Optional<String> host(InetAddress address) {
        return IprevEvaluation.check(texts, address).names().stream().findFirst();
    }

    @Override
    public MailCapability mail(String domain) {
        return switch (routes.find(domain)) {
            case RouteTable.RouteAnswer.Found _ -> MailCapability.POSSIBLE;
            case RouteTable.RouteAnswer.NoRoute(Reply reason) -> reason.code() < 500
                    ? MailCapability.TROUBLE
                    : switch (reason.statusOrGeneral().toString()) {
                        case NULL_MX -> MailCapability.TAKES_NONE;
                        case OURSELVES -> MailCapability.POSSIBLE;
                        default -> MailCapability.NO_SUCH_DOMAIN;
                    };
        };
    }
}
