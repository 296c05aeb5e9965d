package org.slipstream.admin;

import java.io.IOException;

/// The body of a response that goes on until the client leaves: server-sent events
/// (<https://html.spec.whatwg.org/multipage/server-sent-events.html>). Its parts are made on the thread of the
/// connection, so that a client that waits takes nothing from other requests.
@FunctionalInterface
interface SentEvents {
    String MEDIA_TYPE = "text/event-stream";

    /// The next part, after a wait that is shorter than the time for which a response may take. A comment when there is
    /// none, which shows whether the client is still there.
    String next() throws IOException;
}
