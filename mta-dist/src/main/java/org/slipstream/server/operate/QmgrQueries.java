package org.slipstream.server.operate;

import org.slipstream.qmgr.QueueQueries;
import org.slipstream.qmgr.run.Inbox;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/// Queries to the queue manager, which answers on its own thread; the caller waits a limited time.
/// The cost of a query depends only on what it is about.
record QmgrQueries(Inbox inbox) {
    static final long ANSWER_MILLIS = 2_000;

    <T> T ask(Function<QueueQueries, T> question) throws IOException {
        return answer(inbox.inspect(question));
    }

    static <T> T answer(CompletableFuture<T> answer) throws IOException {
        try {
            return answer.get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("stopping", stop);
        } catch (ExecutionException | TimeoutException trouble) {
            throw new IOException("the queue manager does not answer", trouble);
        }
    }
}
