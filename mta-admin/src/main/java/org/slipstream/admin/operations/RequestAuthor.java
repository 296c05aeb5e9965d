package org.slipstream.admin.operations;

import java.util.Optional;

/// The author of the request that this thread carries out: the name of a token, or of the user at the owner's socket.
///
/// It is bound to the thread and not a parameter, because only the log of another node needs it: an order for a shard
/// of that node takes it along. A thread that carries out a part of a request binds it again.
public final class RequestAuthor {
    /// Longer names are cut.
    public static final int LONGEST = 100;
    private static final ScopedValue<String> NAME = ScopedValue.newInstance();

    private RequestAuthor() {}

    /// Empty for an order without an operator, such as ETRN.
    public static Optional<String> current() {
        return NAME.isBound() ? Optional.of(NAME.get()) : Optional.empty();
    }

    /// Runs a task for this author.
    public static <T, X extends Throwable> T call(Optional<String> author, ScopedValue.CallableOp<? extends T, X> task)
            throws X {
        return author.isEmpty() ? task.call() : ScopedValue.where(NAME, cut(author.get())).call(task);
    }

    /// The name within its limit.
    public static String cut(String author) {
        return author.substring(0, Math.min(LONGEST, author.length()));
    }
}
