package org.slipstream.world;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.world.WorldLedger.Submission;
import org.slipstream.world.WorldPlan.WorldFault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Whether each promise was kept: what clients, hosts, mailboxes, the log of the program and its disk tell.
final class WorldCheck {
    /// Segments, their companions and the index of one shard whose queue is empty.
    private static final int MOST_FILES = 60;
    private static final int MOST_THREADS = 40;
    private static final int MOST_DESCRIPTORS = 30;
    private static final int MOST_CONNECTIONS = 5;
    static final Pattern TOKEN = Pattern.compile("(?im)^X-World: (\\d+)\\s*$");
    private static final Pattern FAILED = Pattern
            .compile("(?is)Final-Recipient: rfc822;\\s*(\\S+).{0,400}?Action: (\\w+)");
    private static final Pattern SENT = Pattern
            .compile("event=delivery queue=(\\S+) recipient=<(\\S+)> .* result=sent");
    /// Exceptions that no fault of the machine explains.
    private static final Set<String> BUGS = Set.of("NullPointerException", "IllegalStateException",
            "ClassCastException", "IndexOutOfBounds", "NoSuchElement", "AssertionError");
    /// Events that no trouble of the machine explains.
    private static final Pattern NEVER = Pattern.compile("event=(?:thread-died|message-stuck)\\b");
    /// No trouble but a clock that goes back and a start: mail of before it seems to be younger than the start then.
    private static final Pattern LATE = Pattern.compile("event=unannounced-mail-found\\b");
    /// The program has told that the file stays until its next start.
    private static final Pattern NOT_DELETED = Pattern.compile("event=(?:draft|file)-not-deleted queue=(\\S+) ");

    private final MailWorld world;
    private final WorldPlan plan;
    private final WorldLedger ledger;
    private final Path home;
    private final long descriptorsBefore;
    private final Set<String> notDeleted = new HashSet<>();
    private List<Path> files = List.of();
    private AtRest atRest = AtRest.UNKNOWN;

    /// The resources that a server with an empty queue still has.
    ///
    /// @param descriptors of files; -1 for a server that was killed before, whose files close at some time
    /// @param connections with both sides in the machine, too
    record AtRest(int threads, int descriptors, int connections) {
        private static final AtRest UNKNOWN = new AtRest(-1, -1, -1);
    }

    WorldCheck(MailWorld world, WorldPlan plan, WorldLedger ledger, Path home) throws IOException {
        this.world = world;
        this.plan = plan;
        this.ledger = ledger;
        this.home = home;
        descriptorsBefore = descriptors();
    }

    int files() {
        return files.size();
    }

    AtRest atRest() {
        return atRest;
    }

    /// @param running with an empty queue
    void lookAtRest(WorldScheduler.Process running) throws IOException {
        List<Thread> threads = running.threads();
        atRest = new AtRest(threads.size(), world.starts() == 1 ? (int) (descriptors() - descriptorsBefore) : -1,
                (int) world.network().open(running));
        int shards = Math.max(2, plan.shape().shards() + (plan.shape().growing() ? 2 : 0));
        if (atRest.threads > MOST_THREADS * shards) {
            world.trouble("the server at rest has " + atRest.threads + " threads: "
                    + threads.stream().map(Thread::getName).toList());
        }
        if (atRest.descriptors > MOST_DESCRIPTORS * shards) {
            world.trouble("the server at rest has " + atRest.descriptors + " open files");
        }
        if (atRest.connections > MOST_CONNECTIONS) {
            world.trouble("the server at rest has " + atRest.connections + " connections");
        }
    }

    /// Files below the folder that this JVM has open.
    private long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(each -> {
                try {
                    return Files.readSymbolicLink(each).startsWith(home);
                } catch (IOException closed) {
                    return false;
                }
            }).count();
        }
    }

    void check() throws IOException {
        boolean quiet = world.hostsAnswer() && plan.faults().stream().noneMatch(WorldFault::mayLoseReplies);
        readMailboxes();
        checkBounds();
        if (!world.queueIsEmpty()) {
            world.trouble("the queue is not empty a long time after the last fault");
        }
        ledger.submissions.forEach((number, submission) -> {
            for (String each : submission.recipients) {
                int copies = submission.delivered.getOrDefault(each, 0);
                int reports = submission.returned.getOrDefault(each, 0);
                if (submission.acknowledged && copies + reports == 0) {
                    world.trouble("message " + number + " for " + each + " was acknowledged, and is gone");
                }
                int recorded = submission.recorded.getOrDefault(each, List.of()).size();
                // A mailbox has one file for a message, also after a second delivery of it.
                if (copies < (each.endsWith("@here.example") ? Math.min(1, recorded) : recorded)) {
                    world.trouble("message " + number + " for " + each + " was recorded as sent, and was not taken");
                }
                if (quiet && copies + reports > 1) {
                    world.trouble("message " + number + " for " + each + ": " + copies + " copies and " + reports
                            + " reports, and no connection was lost");
                }
                // Octets that a failed write left on the disk may come back with the next start.
                if (submission.refusedNanos > 0 && copies + reports > 0
                        && !ledger.hasStopSince(submission.refusedNanos)) {
                    world.trouble(
                            "message " + number + " for " + each + " was refused, and has " + copies + " copies and "
                                    + reports + " reports");
                }
                if (each.startsWith("nobody") && copies > 0) {
                    world.trouble("message " + number + " for " + each + " was delivered");
                }
            }
        });
    }

    /// A server whose queue is empty needs little of the disk.
    private void checkBounds() throws IOException {
        try (Stream<Path> all = Files.walk(home)) {
            files = all.filter(file -> home.relativize(file).toString().startsWith("spool")
                    && Files.isRegularFile(file)).toList();
        }
        int shards = Math.max(2, plan.shape().shards() + (plan.shape().growing() ? 2 : 0));
        if (world.queueIsEmpty() && files.size() > MOST_FILES * shards) {
            world.trouble("the empty queue has " + files.size() + " files: " + files.stream().limit(20).toList());
        }
        List<Path> large = files.stream().filter(file -> file.toString().contains("/large/")
                && !notDeleted.contains(file.getFileName().toString())).toList();
        if (world.queueIsEmpty() && !large.isEmpty()) {
            world.trouble("the empty queue has contents: " + large.stream().limit(20).toList());
        }
    }

    private void readMailboxes() throws IOException {
        Path mail = home.resolve("mail");
        if (!Files.isDirectory(mail)) {
            return;
        }
        try (Stream<Path> all = Files.walk(mail)) {
            for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
                Path parent = Objects.requireNonNull(each.getParent()).getFileName();
                if (parent.toString().equals("tmp") || mail.relativize(each).getNameCount() < 4) {
                    continue;
                }
                String box = mail.relativize(each).getName(1).toString();
                String content = Files.readString(each, StandardCharsets.ISO_8859_1);
                readMail(box, content);
            }
        }
    }

    private void readMail(String box, String content) {
        Matcher token = TOKEN.matcher(content);
        if (!token.find()) {
            return;
        }
        Submission submission = ledger.submissions.get(Integer.valueOf(token.group(1)));
        if (submission == null) {
            world.trouble("a mailbox has a message that was never sent");
        } else if (box.equals("sender")) {
            Matcher failed = FAILED.matcher(content);
            while (failed.find()) {
                if (failed.group(2).equalsIgnoreCase("failed")) {
                    WorldLedger.count(submission.returned, failed.group(1));
                }
            }
        } else {
            WorldLedger.count(submission.delivered, box + "@here.example");
        }
    }

    /// An event of the log of the program.
    void logged(ILoggingEvent event) {
        if (!world.scheduler().has(Thread.currentThread())) {
            return;
        }
        world.tell("log " + event.getLevel() + " " + event.getFormattedMessage());
        Matcher sent = SENT.matcher(event.getFormattedMessage());
        if (sent.find()) {
            sent(sent.group(1), sent.group(2));
        }
        Matcher stays = NOT_DELETED.matcher(event.getFormattedMessage());
        if (stays.lookingAt()) {
            notDeleted.add(stays.group(1) + ".message");
        }
        boolean disturbed = plan.faults().stream().anyMatch(WorldFault::disturbsDisk);
        String failure = event.getThrowableProxy() == null
                ? ""
                : ThrowableProxyUtil.asString(event.getThrowableProxy());
        boolean fault = BUGS.stream().anyMatch(failure::contains) && !disturbed;
        if (fault || event.getLevel().isGreaterOrEqual(Level.ERROR) && !disturbed
                || NEVER.matcher(event.getFormattedMessage()).lookingAt()
                || !(plan.has(WorldPlan.FaultKind.CLOCK) && world.hasStopped())
                        && LATE.matcher(event.getFormattedMessage()).lookingAt()) {
            world.trouble("the log has: " + event.getFormattedMessage() + " " + failure);
        }
    }

    private void sent(String queueId, String recipient) {
        Integer number = ledger.queued.get(queueId);
        Submission submission = number == null ? null : ledger.submissions.get(number);
        if (submission == null || !submission.recipients.contains(recipient)) {
            return;
        }
        List<Long> recorded = submission.recorded.computeIfAbsent(recipient, _ -> new ArrayList<>());
        long now = world.scheduler().now();
        if (!recorded.isEmpty() && !ledger.mayBeForgotten(recorded.getLast())) {
            world.trouble("message " + number + " for " + recipient + " was sent twice, and the server knew it");
        }
        recorded.add(now);
    }

    static final class WorldLog extends AppenderBase<ILoggingEvent> {
        static void into(WorldCheck check) {
            LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
            context.reset();
            WorldLog log = new WorldLog();
            log.setContext(context);
            log.start();
            context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.INFO);
            context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(log);
            log.check = check;
        }

        private @Nullable WorldCheck check;

        @Override
        protected void append(ILoggingEvent event) {
            WorldCheck told = check;
            if (told != null) {
                told.logged(event);
            }
        }
    }
}
