package org.slipstream.smtpout;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// The platform thread `out-login`, on which replies of a login are answered, one after the other; it ends when there is nothing to do.
///
/// SCRAM stretches the password as often as the server wants, up to a million times: a second of a processor. A connection's virtual thread
/// would hold a carrier for that time, and all connections would wait.
final class LoginThread {
    private static final ThreadPoolExecutor ONE = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().priority(Thread.MIN_PRIORITY).name("out-login").factory());

    static {
        ONE.allowCoreThreadTimeOut(true);
    }

    private LoginThread() {}

    static <T> T ask(Supplier<T> answer) {
        return CompletableFuture.supplyAsync(answer, ONE).join();
    }
}
