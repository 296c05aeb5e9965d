package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.List;
import java.util.stream.Stream;

/// The limits of one transport that shards share: its connections, and those to each host. With one
/// shard they are the configured ones.
final class TransportLeases {
    private final String transport;
    private PlaceRules rules;
    private final Leases leases;
    private final LimitKey connections;

    TransportLeases(String transport, PlaceRules rules, Leases leases) {
        this.transport = transport;
        this.rules = rules;
        this.leases = leases;
        this.connections = LimitKey.transport(transport);
    }

    void change(PlaceRules others) {
        rules = others;
    }

    boolean areShared() {
        return leases.areShared();
    }

    int workers() {
        return leases.limit(connections, rules.workers());
    }

    int perHost(HostKey host) {
        int limit = rules.connectionsTo(host);
        return leases.areShared() && limit < Integer.MAX_VALUE ? leases.limit(key(host), limit) : limit;
    }

    private LimitKey key(HostKey host) {
        return LimitKey.host(transport, host);
    }

    /// The lack of connections of the transport; empty when this shard may use all.
    List<LackingLane> connections() {
        return leases.isShort(connections, rules.workers())
                ? List.of(new LackingLane(connections, rules.workers()))
                : List.of();
    }

    /// The hosts to which more connections are permitted than this shard may have.
    List<LackingLane> hosts(Stream<HostKey> hosts) {
        return hosts.filter(host -> perHost(host) < rules.connectionsTo(host))
                .map(host -> new LackingLane(key(host), rules.connectionsTo(host))).toList();
    }

    /// The last connection to this host is gone.
    void left(HostKey host) {
        if (leases.areShared()) {
            leases.freed(key(host));
        }
    }

    void need(List<LackingLane> lacks, int lanes) {
        lacks.forEach(lack -> leases.need(lack.key(), lack.limit(), lanes));
    }

    String words(HostKey host) {
        return leases.words(key(host), rules.connectionsTo(host));
    }

    String words() {
        return leases.words(connections, rules.workers());
    }
}
