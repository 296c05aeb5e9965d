package org.slipstream.server;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class DeadThreadsTest {
    /// Threads of one client, delivery, question or stop, those of pools, and those without which the mail goes on.
    private static final Set<String> REPLACED = Set.of("accounts", "monitor", "pipe", "monitor-cut", "admin-connection",
            "admin-shard",
            "dns", "dovecot-connect",
            "daily-reports", "dovecot-in", "dovecot-out", "drain", "file-read", "hello", "in", "io-clock",
            "listener-close", "local",
            "log-end", "memory-rest", "out-aside", "out-dial", "out-login", "out-tls", "password", "report", "rspamd",
            "shard-hung", "shard-leaves", "shard-lost", "sign", "spool-batch", "spool-making", "spool-read", "stop",
            "stop-shard", "sts");
    private static final Pattern NAME = Pattern.compile(
            "(?:Thread\\s*\\.of[^;]{0,80}?\\.name|\\bfactory|\\bpool|setName)\\(\"([^\"]+)\"");

    private final AtomicInteger ends = new AtomicInteger();

    @Test
    void theProcessEndsWithAThreadThatNoOtherReplaces() throws InterruptedException {
        for (String name : List.of("file-watch", "journal-0", "spool-index-12", "admin")) {
            die(name);
        }
        assertThat(ends).hasValue(4);
        for (String name : List.of("in-17", "report-1-0", "dns-4", "")) {
            die(name);
        }
        assertThat(ends).hasValue(4);
    }

    private void die(String name) throws InterruptedException {
        Thread thread = Thread.ofPlatform().name(name).uncaughtExceptionHandler(new DeadThreads(ends::incrementAndGet))
                .unstarted(() -> {
                    throw new StackOverflowError("of " + name);
                });
        thread.start();
        thread.join();
    }

    @Test
    void eachThreadOfTheServerIsOneOrTheOther() throws IOException {
        Set<String> kinds = new TreeSet<>();
        for (String module : List.of("mta-cluster", "mta-dist", "mta-guard", "mta-local", "mta-spool", "mta-smtp-in",
                "mta-smtp-out",
                "mta-admin", "mta-monitor", "mta-qmgr")) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
                for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    NAME.matcher(Files.readString(file)).results().map(found -> DeadThreads.kind(found.group(1)))
                            .forEach(kinds::add);
                }
            }
        }
        assertThat(kinds).hasSizeGreaterThan(20).contains("file-watch", "journal", "spool-log");
        kinds.removeAll(DeadThreads.ESSENTIAL);
        kinds.removeAll(REPLACED);
        assertThat(kinds).as("threads of which neither list says what their end means").isEmpty();
    }
}
