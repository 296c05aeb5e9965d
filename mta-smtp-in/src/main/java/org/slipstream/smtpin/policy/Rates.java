package org.slipstream.smtpin.policy;

import org.slipstream.core.Address;

import java.util.Optional;
import java.util.function.LongSupplier;

/// Rate limits per client network, or per user from any network. Excess gets a 4xx reply.
///
/// A user is counted by name and not by network, because a stolen password is used from everywhere.
public final class Rates implements Check {
    /// @param connections per network and minute
    /// @param messages per network or user and hour
    /// @param recipients per network or user and hour
    /// @param network groups client addresses
    /// @param keys how many networks and users are kept
    public record RateSettings(int connections, int messages, int recipients, ClientNetwork network, int keys) {}

    private static final long MINUTE = 60_000;
    private static final long HOUR = 3_600_000;
    private final ClientNetwork network;
    private final Buckets connections;
    private final Buckets messages;
    private final Buckets recipients;

    public Rates(RateSettings settings, LongSupplier nanos) {
        this.network = settings.network();
        this.connections = new Buckets(settings.connections(), MINUTE, settings.keys(), nanos);
        this.messages = new Buckets(settings.messages(), HOUR, settings.keys(), nanos);
        this.recipients = new Buckets(settings.recipients(), HOUR, settings.keys(), nanos);
    }

    @Override
    public String name() {
        return "rates";
    }

    @Override
    public Ruling connect(Client client, boolean early) {
        return connections.take(network.key(client.address()))
                ? Ruling.pass()
                : Ruling.reject(421, "4.7.0", "Too many connections from your network, try again later");
    }

    @Override
    public Ruling mail(Client client, Optional<Address> sender, long declaredBytes) {
        return messages.take(who(client)) ? Ruling.pass() : Ruling.defer("4.7.1", "Too many messages, try again later");
    }

    @Override
    public Ruling rcpt(Client client, Rcpt rcpt) {
        return recipients.take(who(client))
                ? Ruling.pass()
                : Ruling.defer("4.7.1", "Too many recipients, try again later");
    }

    private String who(Client client) {
        return client.user().map(user -> "user " + user).orElseGet(() -> network.key(client.address()));
    }
}
