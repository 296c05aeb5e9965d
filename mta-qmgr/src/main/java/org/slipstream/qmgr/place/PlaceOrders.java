package org.slipstream.qmgr.place;

/// What the placement wants done. Only enqueues.
public interface PlaceOrders {
    /// Answered by [ConnectionNews.Ready] or [ConnectionNews.Failed].
    ///
    /// @param first for whom it is opened
    void open(long connection, Candidate host, Load first);

    /// Answered by [ConnectionNews.Answered] or [ConnectionNews.Returned], unless the connection is lost. Several may be
    /// under way on one connection.
    void deliver(long connection, Load load);

    /// Not answered; the number is not used again. Without loads on it, or while it waits for its greeting.
    void close(long connection);
}
