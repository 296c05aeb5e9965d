package org.slipstream.admin;

import java.io.IOException;

/// The body of a response that may have to be waited for. It is made when the request has been answered, on the thread
/// of the connection, so that a client that waits takes nothing from other requests.
@FunctionalInterface
interface LaterBody {
    PlainText get() throws IOException;
}
