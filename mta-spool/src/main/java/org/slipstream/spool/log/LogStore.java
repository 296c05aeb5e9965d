package org.slipstream.spool.log;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/// Where the octets of a message log are kept: numbered segments that grow at their end, and marks.
/// [Segments] gives the octets their meaning. `LogStoreContract` among the tests says the same as
/// assertions; each implementation has to pass it.
///
/// **Groups.** Octets are appended, and [#commit] makes all of them durable. A crash before it leaves
/// nothing, a part or all of the group, in any state. A group lies in one segment.
///
/// **Ownership.** Who opens a store to write claims it and gets an epoch, greater than all before. From
/// then on, each change by an earlier owner fails with [NotOwnerException]: a writer that was thought dead
/// (its disk hung, its machine lost the network) cannot write beside its successor.
///
/// Changes belong to one thread, that of the log. Everything that reads may be called by any thread.
public interface LogStore extends AutoCloseable {
    /// One segment, to read. Used by one thread.
    interface OpenSegment extends AutoCloseable {
        long size() throws IOException;

        /// Reads `length` octets from `offset` of the segment to `at` of the array.
        ///
        /// @throws java.io.EOFException when the segment ends before
        void read(long offset, byte[] into, int at, int length) throws IOException;

        /// The first octets, at most `limit`, to look into anywhere. Valid until [#close]. On a disk that
        /// cannot be read, the access to an octet throws an `InternalError`.
        ByteBuffer view(long limit) throws IOException;

        @Override
        void close() throws IOException;
    }

    /// Numbers of the segments that are there, in order.
    SortedSet<Long> segments() throws IOException;

    /// Length of a segment; 0 when it is missing, too.
    long size(long segment) throws IOException;

    /// @throws java.nio.file.NoSuchFileException when the store is there and the segment is not
    OpenSegment open(long segment) throws IOException;

    /// The names that were marked.
    Set<String> marks() throws IOException;

    /// Marks a name, which is durable when this returns. It takes the place of another one, so that a full
    /// disk does not prevent it.
    ///
    /// @param before gets unmarked in the same step; may be unknown
    void mark(String before, String name) throws IOException;

    /// Durable at some time later.
    void unmark(String name) throws IOException;

    /// The claim under which this object writes; 0 when it only reads.
    long epoch();

    /// True when another owner has claimed the log since. Segments that it has deleted are no damage.
    boolean isClaimedSince() throws IOException;

    /// Begins the segment to append to. It and its first octets are durable when this returns. Nothing
    /// waits for a commit at that time.
    void begin(long segment, ByteBuffer first) throws IOException;

    /// Takes all octets of the buffer. Durable only after [#commit].
    void append(ByteBuffer octets) throws IOException;

    /// The group that is appended now has messages of other spools, or the removal of some that came in a group that
    /// failed. A store that nodes share keeps a list of them with the group, so that the other spool can ask for
    /// it when it has got no answer.
    ///
    /// @param in came from another spool with this group
    /// @param withdrawn did not come, or are removed by this group
    default void moves(Set<QueueId> in, Set<QueueId> withdrawn) {}

    /// Makes everything that was appended survive a power cut.
    void commit() throws IOException;

    /// Cuts off what was appended since the last commit, as far as possible. [#begin] comes next. Never
    /// throws, because it is called when something has failed already.
    void abandon();

    /// For a segment that gets no more octets: makes durable what can be read of it. A start reads octets
    /// that a killed process did not commit.
    ///
    /// @return its length
    long settle(long segment) throws IOException;

    /// Writes the first octets of a segment again; for the repair of a stopped server.
    void mend(long segment, ByteBuffer first) throws IOException;

    /// Durable at some time later.
    void delete(long segment) throws IOException;

    /// Keeps octets beside a segment that spare a start its reading ([Hints]). Nothing depends on them: they are
    /// not durable, and they may lack or be of a former owner.
    ///
    /// @param first those of before go
    void addHints(long segment, boolean first, ByteBuffer chunk) throws IOException;

    /// The octets that were added; none, when nothing was.
    ///
    /// @param most with more octets than these they are not read
    ByteBuffer hints(long segment, long most) throws IOException;

    /// As [MessageLog#danger].
    default Optional<String> danger() throws IOException {
        return Optional.empty();
    }

    /// Discards what was appended and not committed, as far as it has not been written.
    @Override
    void close();
}
