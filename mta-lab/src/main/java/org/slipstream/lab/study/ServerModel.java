package org.slipstream.lab.study;

import java.util.List;

/// The rule by which a server of a study refuses, delays or drops connections.
///
/// A model has the figures only; a [SimulatedListener] applies them.
public sealed interface ServerModel {
    /// A server that limits the connections of each client. A connection beyond the limit receives
    /// 421 instead of a greeting, and the server closes it (Postfix
    /// `smtpd_client_connection_count_limit`).
    record Limited(int connections) implements ServerModel {}

    /// A server with a fixed number of processes and a full listen queue. A connection that finds
    /// all processes busy waits in the listen queue of the kernel. The operating system decides
    /// what happens to a connection that finds the queue full.
    ///
    /// @param queueLength established connections that wait for a process, at most
    record Congested(int processes, int queueLength, Overflow overflow) implements ServerModel {}

    /// Several servers behind one address. The load balancer takes them in turn. The last server
    /// drops each connection before the greeting.
    record Balanced(int servers) implements ServerModel {}

    /// The effect of a full listen queue on another connection.
    enum Overflow {
        /// The kernel drops the SYN. The client retransmits it and gives up after the connect
        /// timeout.
        SYN_DROPPED(3, 6, 9, 12, 15, 21, 33),

        /// The kernel answers the SYN and drops the ACK that would complete the handshake. The
        /// client regards the connection as established. The server retransmits its SYN-ACK a few
        /// times, and each retransmission is another attempt to enter the queue. After the last
        /// attempt the client waits for a greeting until its timeout.
        ACK_DROPPED(3, 9, 21, 45, 93);

        /// Seconds from the first attempt to each retransmission.
        final List<Integer> retransmitSeconds;

        Overflow(Integer... retransmitSeconds) {
            this.retransmitSeconds = List.of(retransmitSeconds);
        }
    }
}
