package org.slipstream.admin.operations;

import org.slipstream.core.order.Right;

/// The console of this server, for those who want to open it.
@FunctionalInterface
public interface ConsoleOperations {
    /// Makes a link that opens the console once, within a short time.
    ///
    /// @param author of the orders that follow
    LinkView link(Right right, String author);

    /// @param url with a secret
    /// @param seconds for which it can be used
    record LinkView(String url, String right, long seconds) {}
}
