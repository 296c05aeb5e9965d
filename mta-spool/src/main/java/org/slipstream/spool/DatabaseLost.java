package org.slipstream.spool;

/// The fate of new mail while the database of the message log does not answer.
public enum DatabaseLost {
    /// Clients get 451, and try again.
    REFUSE,
    /// The messages are kept on the disk of this server, in one copy, and move when the database answers.
    KEEP_HERE
}
