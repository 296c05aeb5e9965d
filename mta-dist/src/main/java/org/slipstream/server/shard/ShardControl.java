package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.ShardOperations;
import org.slipstream.cluster.ClusterLook;
import org.slipstream.cluster.ClusterLook.ClusterNode;
import org.slipstream.cluster.ClusterLook.ShardClaim;
import org.slipstream.cluster.ClusterMember;
import org.slipstream.config.StoredShard;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.order.ShardOrder;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.server.operate.WaitingShard.WaitReason;
import org.slipstream.server.shard.Shard.HandLoad;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.postgres.DatabaseCheck.StandbyFacts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/// Orders for the shards of a running server. One order at a time.
///
/// An order that would leave the server without a shard for new mail is refused, unless it is forced. The
/// only shard cannot be drained.
public final class ShardControl implements ShardOperations {
    private static final Logger log = LoggerFactory.getLogger(ShardControl.class);
    private static final UseView NO_USE = new UseView(0, 0);
    private static final double MILLIS = 1_000;
    private static final int MOST_ASKED = 64;

    private final ShardSet shards;

    public ShardControl(ShardSet shards) {
        this.shards = shards;
    }

    @Override
    public List<ShardView> shards() {
        List<ShardView> views = new ArrayList<>();
        for (Shard shard : shards.all()) {
            views.add(view(shard));
        }
        // Those that were empty when they left are of no interest.
        shards.known().stream().filter(StoredShard::isRetired).map(shard -> view(shard, "closed"))
                .forEach(views::add);
        shards.waiting().stream().filter(each -> each.why() != WaitReason.ELSEWHERE).map(ShardControl::view)
                .forEach(views::add);
        shards.inCluster().flatMap(each -> each.member().seen()).ifPresent(look -> look.shards().stream()
                .filter(each -> shards.shard(each.number()).isEmpty()).map(ShardControl::view).forEach(views::add));
        views.sort(Comparator.comparingInt(ShardView::number));
        return views;
    }

    private ShardView view(Shard shard) {
        ShardLoad load = shards.load(shard, false);
        Optional<ShardClaim> claim = claim(shard.number());
        Optional<Spool.Counts> counts = counts(shard);
        return new ShardView(shard.number(), shard.where().directory().toString(),
                SettingsRecords.word(shard.mode()), counts.isEmpty() ? "failed" : SettingsRecords.word(shard.state()),
                view(load.local()), view(load.remote()), load.percent(), shard.hasLoadByHand(),
                counts.map(Spool.Counts::messages).orElse(0L), counts.map(Spool.Counts::sizeBytes).orElse(0L),
                shard.failures(), claim.map(each -> each.owner().orElse("")).orElse(""),
                claim.map(ShardClaim::epoch).orElse(0L));
    }

    private Optional<ShardClaim> claim(int number) {
        return shards.inCluster().flatMap(each -> each.member().seen()).flatMap(look -> look.shard(number));
    }

    // ---- a cluster

    @Override
    public Optional<ClusterView> cluster() {
        return shards.inCluster().map(ClusterSide::member).map(this::view);
    }

    private ClusterView view(ClusterMember member) {
        ClusterLook look;
        List<StandbyFacts> standbys = List.of();
        String fault = "";
        try {
            look = member.look();
            standbys = member.standbys();
        } catch (IOException silent) {
            look = member.seen().orElse(new ClusterLook(List.of(), List.of()));
            fault = FailureWords.of(silent);
        }
        ClusterLook now = look;
        Map<String, Double> grants = grants(now.nodes());
        String broker = shards.inCluster().flatMap(ClusterSide::messages).map(NodeMessages::brokerAddress).orElse("");
        return new ClusterView(member.node(), fault, now.nodes().stream().map(each -> new NodeView(each.name(),
                each.address(), each.version(), each.isAlive() ? "alive" : "silent", each.silentMillis() / MILLIS,
                each.upMillis() / MILLIS, now.heldBy(each.name()), Optional.ofNullable(grants.get(each.name()))))
                .toList(),
                now.shards().stream().map(each -> new ClaimView(each.number(), each.holder().orElse(""), each.epoch(),
                        each.holder().isPresent() ? each.leaseMillis() / MILLIS : 0, each.moveTo().orElse("")))
                        .toList(),
                now.nodes().stream().filter(each -> !broker.isEmpty() && each.address().equals(broker))
                        .map(ClusterNode::name).findFirst().orElse(""),
                standbys.stream().map(each -> new StandbyView(each.name(), each.state(), each.syncState())).toList());
    }

    /// Seconds for which the grants of a node are good. All are asked at once, and one that does not answer is left
    /// out.
    private Map<String, Double> grants(List<ClusterNode> nodes) {
        Optional<NodeMessages> messages = shards.inCluster().flatMap(ClusterSide::messages);
        if (messages.isEmpty()) {
            return Map.of();
        }
        Map<String, Double> grants = new ConcurrentHashMap<>();
        CompletableFuture.allOf(nodes.stream().filter(each -> each.isAlive() && !each.address().isEmpty())
                .limit(MOST_ASKED)
                .map(each -> CompletableFuture.runAsync(() -> messages.get().grantMillis(each.address())
                        .ifPresent(millis -> grants.put(each.name(), millis / MILLIS)),
                        task -> Thread.ofVirtual().name("admin-shard").start(task)))
                .toArray(CompletableFuture[]::new)).join();
        return grants;
    }

    private ShardAnswer move(int number, String to) throws IOException {
        if (shards.inCluster().isEmpty()) {
            return new ShardAnswer.Refused("this server is alone: cluster.node is not set");
        }
        ClusterMember member = shards.inCluster().get().member();
        ClusterLook look = member.look();
        Optional<ShardClaim> shard = look.shard(number);
        if (shard.isEmpty()) {
            return new ShardAnswer.UnknownShard(number);
        }
        if (look.node(to).filter(ClusterNode::isAlive).isEmpty()) {
            return new ShardAnswer.Refused("no node \"" + to + "\" is alive in this cluster (mta cluster status)");
        }
        return member.moveTo(number, to)
                ? new ShardAnswer.Done(view(shard.get()))
                : new ShardAnswer.UnknownShard(number);
    }

    private static ShardView view(ShardClaim claim) {
        return new ShardView(claim.number(), "", SettingsRecords.word(ShardMode.NORMAL), "elsewhere", NO_USE, NO_USE, 0,
                false, 0, 0, 0, claim.holder().orElse(""), claim.epoch());
    }

    /// Empty when the spool cannot be read; the other shards are shown all the same.
    private static Optional<Spool.Counts> counts(Shard shard) {
        try {
            return Optional.of(shard.spool().counts());
        } catch (IOException unreadable) {
            log.warn("event=shard-not-read shard={} error=\"{}\"", shard.number(),
                    LogText.text(FailureWords.of(unreadable)));
            return Optional.empty();
        }
    }

    private static ShardView view(WaitingSpool shard) {
        return view(shard.stored(), SettingsRecords.word(shard.why()));
    }

    private static ShardView view(StoredShard shard, String state) {
        return new ShardView(shard.number(), shard.folder().toString(), SettingsRecords.word(shard.mode()), state,
                NO_USE, NO_USE, 0, false, 0, 0, 0, "", 0);
    }

    private static UseView view(ConcurrencyInUse use) {
        return new UseView(use.used(), use.limit());
    }

    // ---- orders

    @Override
    public synchronized ShardAnswer order(int number, ShardOrder order) throws IOException {
        if (!(order instanceof ShardOrder.Add) && shards.shard(number).filter(shards::isLocal).isPresent()) {
            return new ShardAnswer.Refused("shard " + number + " is for mail that comes while the database does not"
                    + " answer: it takes mail and drains by itself (spool.database-lost)");
        }
        return switch (order) {
            case ShardOrder.Add _ -> add();
            case ShardOrder.Drain(boolean force) -> drain(number, force);
            case ShardOrder.Disable(boolean force) -> disable(number, force);
            case ShardOrder.Enable _ -> enable(number);
            case ShardOrder.Hold _ -> hold(number);
            case ShardOrder.Move(String to) -> move(number, to);
            case ShardOrder.Load(String local, String remote) -> load(number, use(local), use(remote));
        };
    }

    private ShardAnswer add() throws IOException {
        if (shards.isClustered()) {
            return new ShardAnswer.Refused(
                    "the shards belong to the cluster, and each node makes one when it has none");
        }
        try {
            Optional<Shard> added = shards.add();
            return added.isPresent()
                    ? new ShardAnswer.Done(view(added.get()))
                    : new ShardAnswer.Refused("the server has as many shards as shard.maximum permits: raise it in"
                            + " mta.toml and start the server again, or enable a drained one");
        } catch (SpoolException refused) {
            return new ShardAnswer.Refused("no shard was added. " + refused.getMessage());
        }
    }

    private ShardAnswer drain(int number, boolean force) throws IOException {
        if (shards.isClustered()) {
            return new ShardAnswer.Refused("the shards belong to the cluster: mta shard move " + number
                    + " --to NODE hands it over with its mail");
        }
        Optional<Shard> open = shards.shard(number);
        if (open.isEmpty()) {
            return closed(number).filter(StoredShard::isRetired)
                    .<ShardAnswer>map(shard -> new ShardAnswer.Done(view(shard, "closed")))
                    .orElse(notOpen(number));
        }
        if (shards.all().size() == 1) {
            return new ShardAnswer.Refused("shard " + number + " stays, because no other shard is open: add one, and it"
                    + " takes the mail, the records of hosts and the suspensions");
        }
        return mode(open.get(), ShardMode.DRAINED, force);
    }

    private ShardAnswer disable(int number, boolean force) throws IOException {
        Optional<Shard> open = shards.shard(number);
        return open.isEmpty()
                ? notOpen(number)
                : mode(open.get(), ShardMode.DISABLED, force);
    }

    // It takes mail, so it may be the last one.
    private ShardAnswer hold(int number) throws IOException {
        Optional<Shard> open = shards.shard(number);
        if (open.isEmpty()) {
            return notOpen(number);
        }
        open.get().endDrain();
        shards.mode(open.get(), ShardMode.HELD);
        return new ShardAnswer.Done(view(open.get()));
    }

    private ShardAnswer notOpen(int number) {
        return waiting(number).<ShardAnswer>map(each -> new ShardAnswer.Refused("shard " + number + " is not open: "
                + each.why().text())).orElse(new ShardAnswer.UnknownShard(number));
    }

    private Optional<WaitingSpool> waiting(int number) {
        return shards.waiting().stream().filter(each -> each.number() == number).findFirst();
    }

    private ShardAnswer mode(Shard shard, ShardMode mode, boolean force) throws IOException {
        boolean another = shards.all().stream().anyMatch(each -> !each.equals(shard) && each.takesMail());
        if (!another && !force) {
            return new ShardAnswer.Refused("shard " + shard.number() + " is the last that takes mail: without it new"
                    + " mail is answered with 451 until a shard is enabled"
                    + (mode == ShardMode.DRAINED ? ", and its own mail has nowhere to go" : "")
                    + "; add or enable another one, or use --force");
        }
        shards.mode(shard, mode);
        if (!another) {
            log.warn("event=shard-none-takes-mail shard={} next=\"new mail is answered with 451\"", shard.number());
        }
        return new ShardAnswer.Done(view(shard));
    }

    private ShardAnswer enable(int number) throws IOException {
        Optional<Shard> open = shards.shard(number);
        if (open.isPresent()) {
            open.get().endDrain();
            shards.mode(open.get(), ShardMode.NORMAL);
            return new ShardAnswer.Done(view(open.get()));
        }
        Optional<WaitingSpool> waiting = waiting(number);
        Optional<StoredShard> closed = closed(number);
        if (waiting.isEmpty() && closed.isEmpty() || waiting.isPresent() && !waiting.get().mayOpen()) {
            return notOpen(number);
        }
        try {
            return new ShardAnswer.Done(view(waiting.isPresent()
                    ? shards.openWaiting(waiting.get().stored().with(ShardMode.NORMAL))
                    : shards.reopen(closed.get())));
        } catch (SpoolException refused) {
            return new ShardAnswer.Refused("shard " + number + " stays closed. " + refused.getMessage());
        }
    }

    private Optional<StoredShard> closed(int number) {
        return shards.known().stream().filter(each -> each.number() == number && each.closed()).findFirst();
    }

    private ShardAnswer load(int number, Optional<ConcurrencyInUse> local, Optional<ConcurrencyInUse> remote) {
        Optional<Shard> open = shards.shard(number);
        if (open.isEmpty()) {
            return notOpen(number);
        }
        open.get().load(local.isEmpty() && remote.isEmpty()
                ? Optional.empty()
                : Optional.of(new HandLoad(local, remote)));
        return new ShardAnswer.Done(view(open.get()));
    }

    private static Optional<ConcurrencyInUse> use(String text) {
        return ShardOrder.HandUse.of(text).map(each -> new ConcurrencyInUse(each.used(), each.limit()));
    }
}
