package org.slipstream.shaping;

import org.slipstream.core.Reply;
import org.slipstream.core.Route;

import java.util.Locale;
import java.util.Optional;

/// A refusal of another server: the reply to a connection or to a delivery.
///
/// @param destination the next hop of the mail, as orders of operators name it
/// @param host the name of the server, or its address
/// @param address the literal address of the server, if it is known
public record SeenReply(String destination, String host, Optional<String> address, Reply reply) {
    /// @param route to one host
    /// @param remote the source of the reply, such as `mx1.example.org[192.0.2.1]:25`
    public static SeenReply of(Route route, String remote, Reply reply) {
        int open = remote.indexOf('[');
        int close = remote.indexOf(']', open + 1);
        String name = open > 0
                ? remote.substring(0, open)
                : route instanceof Route.Smtp smtp ? smtp.hosts().getFirst().name() : remote;
        return new SeenReply(Route.shared(route.nextHop()).toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT),
                open >= 0 && close > open ? Optional.of(remote.substring(open + 1, close)) : Optional.empty(),
                reply.shortened());
    }
}
