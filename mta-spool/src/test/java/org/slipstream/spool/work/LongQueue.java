package org.slipstream.spool.work;

import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Not a test: what a long queue (made by [FillQueue]) costs. Argument: its directory.
final class LongQueue {
    private interface Step {
        Object run() throws Exception;
    }

    private LongQueue() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        Spool[] spool = new Spool[1];
        say("open", () -> spool[0] = Spools.open(SpoolConfig.at(directory), System::currentTimeMillis));
        say("counts", () -> spool[0].counts());
        say("first page of 100", () -> spool[0].list(Optional.empty(), 100).size());
        say("first page again", () -> spool[0].list(Optional.empty(), 100).size());
        List<MessageDetails> page = spool[0].list(Optional.empty(), 100);
        say("page from there", () -> spool[0].list(Optional.of(page.getLast().summary().id()), 100).size());
        long tomorrow = System.currentTimeMillis() + 90_000_000;
        say("claim 200 due", () -> TestMessages.claim(spool[0], tomorrow, 200, tomorrow + 90_000_000).size());
        say("claim 200 more", () -> TestMessages.claim(spool[0], tomorrow, 200, tomorrow + 90_000_000).size());
        say("flush a domain", () -> {
            TestMessages.done(then -> spool[0].makeDue(Optional.empty(), Optional.of("d7.example.net"), 1, then));
            return "done";
        });
        say("a new message", () -> TestMessages.commit(spool[0], "bob@example.net", new byte[4096]));
        System.out.println(rss());
        say("close", () -> {
            spool[0].close();
            return "done";
        });
    }

    private static void say(String what, Step step) throws Exception {
        long begin = System.nanoTime();
        Object result = step.run();
        System.out.printf("%-18s %8.1f ms   %s%n", what, (System.nanoTime() - begin) / 1e6, result);
    }

    private static String rss() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("VmRSS"))
                .findFirst().orElse("");
    }
}
