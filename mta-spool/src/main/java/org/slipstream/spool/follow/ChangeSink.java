package org.slipstream.spool.follow;

import org.slipstream.spool.log.Position;

import java.io.IOException;
import java.util.List;

/// Takes the changes of messages that the log of a spool has. [LogFollower] calls it on its thread; [#sync] on any.
///
/// The log keeps what has not been taken and synced, up to [#ceilingBytes].
public interface ChangeSink extends AutoCloseable {
    /// Where to begin: changes before it were taken. Those of the record there may have been taken in part.
    ///
    /// @param end of the log, for a sink that has taken nothing yet
    Position start(Position end) throws IOException;

    /// @param changes in order; none is lost between two calls. After a failure the same ones come again
    /// @param upTo the log has no earlier change that was not taken
    void take(List<MessageChange> changes, Position upTo) throws IOException;

    /// Takes a loss: a part of the log cannot be read, or changes were passed over because [#take] failed until the
    /// ceiling was reached.
    ///
    /// @param count of changes; 0 when it is not known
    void lost(long count, String reason);

    /// Makes durable what was taken.
    void sync() throws IOException;

    /// Octets of the log that are kept for this sink at most.
    long ceilingBytes();

    @Override
    void close() throws IOException;
}
