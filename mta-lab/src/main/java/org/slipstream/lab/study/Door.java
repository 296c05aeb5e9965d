package org.slipstream.lab.study;

import java.util.List;

/// Where a server stops taking connections, and how its client notices.
public sealed interface Door {
    /// A server that counts its clients' connections: one more than `most` reads 421 instead of a
    /// greeting and is hung up on (Postfix `smtpd_client_connection_count_limit`).
    record Limiter(int most) implements Door {}

    /// A server with so many processes. Connections that find all of them busy wait in the kernel's
    /// queue, and what becomes of those that find the queue full as well is a matter of the
    /// operating system.
    ///
    /// @param places of the queue of connections that are made and not yet served
    record Congested(int processes, int places, Overflow overflow) implements Door {}

    /// So many servers behind one address, which take turns. One of them drops each connection
    /// before the greeting.
    record Balanced(int servers) implements Door {}

    /// The effect of a full queue on one more connection.
    enum Overflow {
        /// Its SYN is thrown away. The client repeats it, and gives up after the connect timeout.
        SYN_IS_DROPPED(3, 6, 9, 12, 15, 21, 33),

        /// Its SYN is answered and the client has a connection; but the acknowledgement that would
        /// complete it on the server's side is thrown away. The server repeats its SYN-ACK a few
        /// times, each repetition another chance, and forgets; the client waits for a greeting that
        /// the server does not send.
        ACK_IS_DROPPED(3, 9, 21, 45, 93);

        /// Seconds after the first attempt at which the same side tries again.
        final List<Integer> againSeconds;

        Overflow(Integer... againSeconds) {
            this.againSeconds = List.of(againSeconds);
        }
    }
}
