package org.slipstream.admin;

import org.slipstream.core.order.Right;

import java.util.Optional;

/// The author of a request.
///
/// @param name of the token, or of the user at the other end of the owner's socket
/// @param byToken false for the owner of the server
public record ApiCaller(String name, Right right, boolean byToken) {
    /// The author of an order. The name of a token cannot be replaced by the client.
    String author(Optional<String> said) {
        return byToken ? name : said.orElse(name);
    }
}
