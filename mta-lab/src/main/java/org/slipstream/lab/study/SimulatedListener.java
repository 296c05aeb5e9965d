package org.slipstream.lab.study;

import org.slipstream.core.Reply;

/// The listening socket of a simulated server, which applies a [ServerModel].
interface SimulatedListener {
    Reply CONNECT_TIMEOUT = Reply.of(450, "4.4.1", "Connection timed out");
    Reply GREETING_TIMEOUT = Reply.of(450, "4.4.2", "timed out while receiving the initial server greeting");
    Reply TOO_MANY_CONNECTIONS = Reply.of(421, "4.7.0", "Error: too many connections");
    Reply CONNECTION_LOST = Reply.of(450, "4.4.2", "lost connection while receiving the initial server greeting");

    /// Receives the first packet of a connection.
    void connect(ConnectionAttempt attempt);

    /// Receives the end of a session that had its greeting.
    void sessionEnded();

    /// A client that waits for the greeting. The listener calls exactly one of the two methods,
    /// once.
    interface ConnectionAttempt {
        void greeted();

        void failed(Reply reason);
    }
}
