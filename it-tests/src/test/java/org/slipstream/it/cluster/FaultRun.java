package org.slipstream.it.cluster;

import org.slipstream.testkit.FaultyLink;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Makes one fault after another in a [FaultyCluster] under load. After each, everything has to work again:
/// standbys confirm, each shard has an owner, and each node takes mail that is delivered.
final class FaultRun {
    private static final Duration SETTLES = Duration.ofMinutes(3);
    private static final Duration TAKEOVER = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final int DEFERRED = 5;
    /// A node without its database ends no delivery after this time (docs/cluster.md).
    private static final long ENDS_NONE = TimeUnit.MILLISECONDS.toNanos(4_100);
    private final FaultyCluster cluster;
    private final Random random;
    private final boolean brief;
    private final Consumer<String> out;
    private final long start = System.nanoTime();
    private final List<FaultRecord> faults = new ArrayList<>();

    private final List<String> notes = new ArrayList<>();
    /// Of the present fault: nodes whose deliveries may be repeated, and nodes that cannot answer.
    private final Set<String> repeating = new HashSet<>();
    private final Set<String> harmed = new HashSet<>();
    private long begun;
    private OptionalLong goesOn = OptionalLong.empty();

    /// @param out gets each line of the transcript
    /// @param brief each fault lasts hardly longer than the shortest of its kind
    FaultRun(FaultyCluster cluster, long seed, boolean brief, Consumer<String> out) {
        this.brief = brief;
        this.cluster = cluster;
        this.random = new Random(seed);
        this.out = out;
        tell("cluster: " + cluster.listing());
    }

    List<FaultRecord> faults() {
        return faults;
    }

    void makeOneOf(List<FaultKind> kinds) {
        make(kinds.get(random.nextInt(kinds.size())));
    }

    /// Returns when everything works again.
    ///
    /// @throws AssertionError when it does not
    void make(FaultKind kind) {
        notes.clear();
        repeating.clear();
        harmed.clear();
        goesOn = OptionalLong.empty();
        int refused = refused();
        tell("fault " + (faults.size() + 1) + ": " + kind.words());
        begun = System.nanoTime();
        switch (kind) {
            case NODE_KILLED -> nodeKilled();
            case NODE_FROZEN -> nodeFrozen();
            case NODE_STOPPED -> nodeStopped();
            case NODE_CLOCK_WRONG -> clockWrong();
            case NODE_CUT_FROM_DATABASE -> nodeCutFromDatabase();
            case CONNECTIONS_CUT -> connectionsCut();
            case COMMITS_CUT -> commitsCut();
            case NODES_APART -> nodesApart();
            case PRIMARY_KILLED -> primaryKilled();
            case PRIMARY_CRASHED -> primaryCrashed();
            case PRIMARY_FROZEN -> primaryFrozen();
            case PRIMARY_CUT_OFF -> primaryCutOff();
            case STANDBY_KILLED -> standbyKilled();
            case STANDBYS_KILLED -> standbysKilled();
            case STANDBY_FROZEN -> standbyFrozen();
            case WAITS_CANCELLED -> waitsCancelled();
            case DISK_FULL -> diskFull();
        }
        cluster.heal();
        long ended = System.nanoTime();
        awaitSettled(ended);
        long settled = System.nanoTime();
        long silence = cluster.nodes().stream().map(NodeProcess::name).filter(name -> !harmed.contains(name))
                .mapToLong(name -> cluster.history().longestSilence(name, begun, settled)).max().orElse(0);
        faults.add(new FaultRecord(faults.size() + 1, kind, repeating, begun, ended, unsureUntil(kind, ended, settled),
                settled, goesOn,
                TimeUnit.NANOSECONDS.toMillis(silence), refused() - refused, notes));
        tell("settled, %.1f s after the end of the fault; longest time without a 250 %.1f s%s".formatted(
                seconds(settled - ended), silence / 1e9,
                goesOn.isPresent() ? "; mail went on after %.1f s".formatted(goesOn.getAsLong() / 1e3) : ""));
    }

    /// A fault of all nodes lasts until everything works: grants may end later, and then connections are closed.
    private long unsureUntil(FaultKind kind, long ended, long settled) {
        if (kind == FaultKind.NODE_CUT_FROM_DATABASE) {
            return Math.min(ended, begun + ENDS_NONE);
        }
        return repeating.size() > 1 ? settled : ended;
    }

    /// Ends the clients, lets the queues run empty, and looks at the whole history.
    HistoryCheck finish() {
        cluster.heal();
        cluster.stopClients();
        tell("clients stopped, " + cluster.history().acknowledged().size() + " messages acknowledged");
        int waiting = cluster.waiting().accepted();
        boolean drained = waitFor(SETTLES, () -> cluster.history().open().isEmpty() && cluster.queued() == waiting);
        tell(cluster.queued() + " messages are queued, " + waiting + " of them should wait");
        HistoryCheck check = new HistoryCheck(cluster.history(), faults)
                .mail(drained ? Set.of() : cluster.queuedRecipients()).waiting(cluster.queued(), waiting).copies()
                .terms(cluster.claims(), cluster.writers()).logs(cluster.log());
        cluster.hosts().forEach((host, sink) -> check.connections(host.domain(), sink.overlaps(),
                FaultyCluster.LANES));
        return check;
    }

    // ---- nodes

    private void nodeKilled() {
        NodeProcess node = victim();
        Set<Integer> open = deferred(node);
        loses(node);
        begun = System.nanoTime();
        node.kill();
        tell("node " + node.lifeName() + " killed, it had " + open.size() + " open messages");
        if (brief || random.nextInt(3) > 0) {
            mustGoOn(node, open);
        }
        node.startAgain();
        tell("node " + node.lifeName() + " started");
    }

    private void nodeFrozen() {
        NodeProcess node = victim();
        Set<Integer> open = deferred(node);
        loses(node);
        begun = System.nanoTime();
        node.freeze();
        cluster.isLost(node);
        Duration time = between(3, 30);
        tell("node " + node.lifeName() + " frozen for " + time.toMillis() / 1e3 + " s, it had " + open.size()
                + " open messages");
        waitFor(time, () -> wentOn(node, open));
        long rest = begun + time.toNanos() - System.nanoTime();
        pause(Duration.ofNanos(Math.max(0, rest)));
        node.goOn();
        tell("node " + node.lifeName() + " goes on");
    }

    private void nodeStopped() {
        NodeProcess node = victim();
        Set<Integer> open = deferred(node);
        harmed.add(node.name());
        begun = System.nanoTime();
        int code = node.stop();
        tell("node " + node.lifeName() + " stopped with code " + code + ", it had " + open.size() + " open messages");
        mustGoOn(node, open);
        node.startAgain();
        tell("node " + node.lifeName() + " started");
    }

    private void clockWrong() {
        NodeProcess node = cluster.nodes().getLast();
        if (!node.hasClock()) {
            tell("not made: libfaketime is not installed");
            return;
        }
        Duration by = Duration.ofMinutes(30 + random.nextInt(48 * 60)).multipliedBy(random.nextBoolean() ? 1 : -1);
        node.stepClock(by);
        tell("the clock of node " + node.name() + " is off by " + by);
        pause(between(2, 10));
        node.stepClock(by.negated());
        tell("the clock of node " + node.name() + " is right");
    }

    private void nodeCutFromDatabase() {
        NodeProcess node = victim();
        Set<Integer> open = deferred(node);
        harmed.add(node.name());
        repeating.add(node.name());
        boolean there = random.nextBoolean();
        boolean back = !there || random.nextBoolean();
        begun = System.nanoTime();
        node.toDatabases().forEach(link -> link.silence(there, back));
        Duration time = between(3, 30);
        tell("node " + node.name() + (there ? " reaches no database" : "") + (back ? " hears no database" : "")
                + " for " + time.toMillis() / 1e3 + " s");
        waitFor(time, () -> wentOn(node, open));
        pause(Duration.ofNanos(Math.max(0, begun + time.toNanos() - System.nanoTime())));
        node.heal();
    }

    private void connectionsCut() {
        NodeProcess node = victim();
        repeating.add(node.name());
        int times = 1 + random.nextInt(10);
        tell("the connections of node " + node.name() + " end " + times + " times");
        for (int i = 0; i < times; i++) {
            node.toDatabases().forEach(FaultyLink::cut);
            pause(Duration.ofMillis(random.nextInt(1_500)));
        }
    }

    private void commitsCut() {
        NodeProcess node = victim();
        repeating.add(node.name());
        FaultyLink.CommitCut moment = FaultyLink.CommitCut.values()[random.nextInt(3)];
        int commits = 1 + random.nextInt(20);
        FaultyLink link = node.toDatabase(cluster.trio().servers().indexOf(cluster.trio().primary()));
        link.cutCommits(moment, commits);
        tell(commits + " commits of node " + node.name() + " lose their connection " + moment);
        waitFor(Duration.ofSeconds(20), () -> link.commitsToCut() == 0);
    }

    private void nodesApart() {
        NodeProcess node = victim();
        repeating.add(node.name());
        boolean there = random.nextBoolean();
        boolean back = !there || random.nextBoolean();
        // Without an answer a node gives up its grants, and closes its connections after 5 s.
        repeating.addAll(cluster.nodes().stream().map(NodeProcess::name).toList());
        node.fromNodes().silence(there, back);
        Duration time = between(3, 20);
        tell("node " + node.name() + (there ? " hears no other node" : "") + (back ? " reaches no other node" : "")
                + " on connections to it for " + time.toMillis() / 1e3 + " s");
        pause(time);
        node.fromNodes().heal();
    }

    // ---- the database

    private void primaryKilled() {
        allRepeat();
        PostgresServer former = cluster.trio().primary();
        begun = System.nanoTime();
        former.kill();
        tell("primary " + former.name() + " killed");
        pause(between(0, 3));
        replace(former);
    }

    private void replace(PostgresServer former) {
        cluster.trio().promoteTheNewest();
        tell("standby " + cluster.trio().primary().name() + " promoted");
        awaitWork(System.nanoTime());
        tell("all nodes work again");
        cluster.trio().attach(former);
        tell("server " + former.name() + " is a standby, with a fresh copy");
    }

    private void primaryCrashed() {
        allRepeat();
        PostgresServer primary = cluster.trio().primary();
        begun = System.nanoTime();
        primary.kill();
        Duration time = between(0, 8);
        tell("primary " + primary.name() + " killed, away for " + time.toMillis() / 1e3 + " s");
        pause(time);
        primary.start();
        tell("primary " + primary.name() + " started");
    }

    private void primaryFrozen() {
        allRepeat();
        PostgresServer primary = cluster.trio().primary();
        begun = System.nanoTime();
        primary.freeze();
        Duration time = between(3, 15);
        tell("primary " + primary.name() + " frozen for " + time.toMillis() / 1e3 + " s");
        pause(time);
        primary.goOn();
    }

    private void primaryCutOff() {
        allRepeat();
        PostgresServer former = cluster.trio().primary();
        List<FaultyLink> links = cluster.trio().standbys().stream().map(cluster.trio()::link).toList();
        boolean nodesToo = random.nextBoolean();
        int number = cluster.trio().servers().indexOf(former);
        begun = System.nanoTime();
        links.forEach(link -> link.silence(true, true));
        if (nodesToo) {
            cluster.nodes().forEach(node -> node.toDatabase(number).silence(true, true));
        }
        tell("primary " + former.name() + " cut off from its standbys" + (nodesToo ? " and from the nodes" : ""));
        pause(between(1, 4));
        cluster.trio().promoteTheNewest();
        tell("standby " + cluster.trio().primary().name() + " promoted; there are two primaries");
        pause(between(1, 8));
        former.kill();
        tell("former primary " + former.name() + " killed");
        cluster.heal();
        awaitWork(System.nanoTime());
        tell("all nodes work again");
        cluster.trio().attach(former);
        tell("server " + former.name() + " is a standby, with a fresh copy");
    }

    private void standbyKilled() {
        PostgresServer standby = standby();
        begun = System.nanoTime();
        standby.kill();
        Duration time = between(2, 10);
        tell("standby " + standby.name() + " killed, away for " + time.toMillis() / 1e3 + " s");
        pause(time);
        standby.start();
        tell("standby " + standby.name() + " started");
    }

    private void standbysKilled() {
        allRepeat();
        begun = System.nanoTime();
        cluster.trio().standbys().forEach(PostgresServer::kill);
        Duration time = between(1, 12);
        tell("both standbys killed, away for " + time.toMillis() / 1e3 + " s");
        pause(time);
        cluster.trio().standbys().forEach(PostgresServer::start);
        tell("both standbys started");
    }

    private void standbyFrozen() {
        PostgresServer standby = standby();
        begun = System.nanoTime();
        standby.freeze();
        Duration time = between(3, 15);
        tell("standby " + standby.name() + " frozen for " + time.toMillis() / 1e3 + " s");
        pause(time);
        standby.goOn();
    }

    private void waitsCancelled() {
        allRepeat();
        boolean ends = random.nextBoolean();
        List<FaultyLink> links = cluster.trio().standbys().stream().map(cluster.trio()::link).toList();
        begun = System.nanoTime();
        links.forEach(link -> link.silence(true, true));
        String sql = "select count(" + (ends ? "pg_terminate_backend" : "pg_cancel_backend") + "(pid))"
                + " from pg_stat_activity where wait_event = 'SyncRep' and application_name ~ '^[a-z][.]'";
        int[] cancelled = {0};
        waitFor(Duration.ofSeconds(6), () -> {
            try {
                cancelled[0] += Integer.parseInt(cluster.trio().primary().query(sql));
            } catch (SQLException e) {
                tell("not cancelled: " + e.getMessage());
            }
            return cancelled[0] >= 4;
        });
        tell(cancelled[0] + " waits for a standby " + (ends ? "ended with their sessions" : "cancelled"));
        pause(between(0, 3));
        links.forEach(FaultyLink::heal);
    }

    private void diskFull() {
        allRepeat();
        PostgresServer primary = cluster.trio().primary();
        boolean ofWal = random.nextBoolean();
        if (!primary.hasDisks()) {
            tell("not made: only root can make small disks");
            return;
        }
        primary.fillDisk(ofWal);
        Duration time = between(3, 12);
        tell("the disk of primary " + primary.name() + (ofWal ? " for its WAL" : "") + " is full for "
                + time.toMillis() / 1e3 + " s");
        pause(time);
        primary.freeDisks();
        if (!primary.isAlive()) {
            primary.start();
            tell("primary " + primary.name() + " had ended, started");
        }
    }

    // ---- what all have in common

    /// Replies other than 250, not counting connections that failed.
    private int refused() {
        return (int) cluster.history().refused().stream().filter(each -> !each.reply().isEmpty()).count();
    }

    private NodeProcess victim() {
        // The first node divides the limits, and its loss takes longer.
        return brief ? cluster.nodes().getLast() : cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }

    private PostgresServer standby() {
        return cluster.trio().standbys().get(random.nextInt(cluster.trio().standbys().size()));
    }

    private void loses(NodeProcess node) {
        harmed.add(node.name());
        repeating.add(node.name());
    }

    private void allRepeat() {
        cluster.nodes().forEach(node -> repeating.add(node.name()));
    }

    /// Messages that this node has acknowledged just now and not delivered. Older ones may be in a shard that it
    /// has handed over.
    private Set<Integer> deferred(NodeProcess node) {
        HistorySink later = cluster.hosts().get(MailHistory.Host.LATER);
        later.takesNothing(true);
        long since = System.nanoTime();
        await("deferred mail", SETTLES, () -> openOf(node, since).size() >= DEFERRED);
        Set<Integer> open = openOf(node, since);
        later.takesNothing(false);
        return open;
    }

    private Set<Integer> openOf(NodeProcess node, long since) {
        Set<Integer> open = new HashSet<>();
        cluster.history().open().stream().filter(each -> each.node().equals(node.name()) && each.begun() > since)
                .filter(each -> MailHistory.Host.of(each.number()) == MailHistory.Host.LATER)
                .forEach(each -> open.add(each.number()));
        return open;
    }

    private void mustGoOn(NodeProcess node, Set<Integer> open) {
        await("mail of node " + node.name() + " to go on", TAKEOVER, () -> wentOn(node, open));
    }

    private boolean wentOn(NodeProcess node, Set<Integer> open) {
        OptionalLong first = open.stream()
                .flatMap(number -> cluster.history().copies().getOrDefault(MailHistory.outcome(number), List.of())
                        .stream())
                .filter(copy -> copy.atNanos() > begun && !copy.node().equals(node.name()))
                .mapToLong(MailHistory.Copy::atNanos).min();
        if (first.isEmpty()) {
            return open.stream().allMatch(number -> cluster.history().copies()
                    .containsKey(MailHistory.outcome(number)));
        }
        goesOn = OptionalLong.of(TimeUnit.NANOSECONDS.toMillis(first.getAsLong() - begun));
        tell("mail of node " + node.name() + " goes on elsewhere");
        return true;
    }

    private void awaitWork(long since) {
        await("all nodes to take mail", SETTLES, () -> cluster.worksSince(since));
    }

    private void awaitSettled(long since) {
        await("standbys that confirm", SETTLES, () -> cluster.trio().confirming() == 2);
        await("an owner of each shard, and a shard of each node", SETTLES, cluster::isOwned);
        awaitWork(since);
    }

    private void await(String what, Duration most, BooleanSupplier holds) {
        if (!waitFor(most, holds)) {
            throw new AssertionError("waited " + most.toSeconds() + " s for " + what + "; owners " + cluster.owners()
                    + ", " + cluster.listing() + ", primary " + cluster.trio().primary().name() + "\n"
                    + String.join("\n", notes));
        }
    }

    private static boolean waitFor(Duration most, BooleanSupplier holds) {
        long end = System.nanoTime() + most.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return true;
    }

    /// The length of a fault is a part of the plan.
    private static void pause(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private Duration between(int seconds, int most) {
        return Duration.ofMillis(1_000L * seconds + random.nextInt(brief ? 1_000 : 1_000 * (most - seconds)));
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    private void tell(String text) {
        String line = "%8.2f s  %s".formatted(seconds(System.nanoTime() - start), text);
        notes.add(line);
        out.accept(line);
    }
}
