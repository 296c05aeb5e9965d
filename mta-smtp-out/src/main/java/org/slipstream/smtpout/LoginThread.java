package org.slipstream.smtpout;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// The platform thread `out-login`, which computes the responses of logins one after the other and
/// ends when idle.
///
/// SCRAM iterates the password's hash as often as the server demands, up to a million times: a
/// second of CPU time. A connection's virtual thread would hold a carrier thread for that time and
/// delay all connections.
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
