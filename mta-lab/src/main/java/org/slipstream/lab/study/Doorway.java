package org.slipstream.lab.study;

import org.slipstream.core.Reply;

/// A [Door] in action.
interface Doorway {
    Reply CONNECT_TIMEOUT = Reply.of(450, "4.4.1", "connect timed out");
    Reply GREETING_TIMEOUT = Reply.of(450, "4.4.2", "timed out waiting for the greeting");
    Reply TURNED_AWAY = Reply.of(421, "4.7.0", "too many connections from your address");
    Reply DROPPED = Reply.of(450, "4.4.2", "connection closed before the greeting");

    /// A client's first packet arrives.
    void call(DoorwayCaller caller);

    /// A session that had been greeted is over.
    void left();

    /// A client that waits for the greeting. Exactly one of the two methods is called, once.
    interface DoorwayCaller {
        void greeted();

        void failed(Reply reason);
    }
}
