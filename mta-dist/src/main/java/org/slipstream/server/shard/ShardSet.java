package org.slipstream.server.shard;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.config.Config;
import org.slipstream.config.ShardStore;
import org.slipstream.config.StoredShard;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogShard;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseAccount;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.qmgr.shard.ShardRules;
import org.slipstream.qmgr.shard.ShardRules.Growth;
import org.slipstream.server.dispatch.DeliveryLease;
import org.slipstream.server.dispatch.Probing;
import org.slipstream.server.dispatch.Verifications;
import org.slipstream.server.hosts.HostStore;
import org.slipstream.server.operate.StandingOrderControl;
import org.slipstream.server.operate.WaitingShard.WaitReason;
import org.slipstream.server.shard.QueueRun.RunStart;
import org.slipstream.spool.Draft;
import org.slipstream.spool.MovedCopies;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.follow.ChangeSink;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The shards of a server: where new mail goes, and which shards are open.
///
/// The set changes while mail is accepted: sessions read it without a lock, and changes are made one
/// at a time. Each change is in the file of shards before it takes effect.
public final class ShardSet {
    private static final Verifications.VerificationVerdict NO_SHARD = new Verifications.VerificationVerdict(
            Verifications.VerificationResult.UNKNOWN, "", "", Reply.of(450, "4.3.2", "no queue manager runs now"));
    private static final Logger log = LoggerFactory.getLogger(ShardSet.class);
    private static final Duration CLOSE = Duration.ofSeconds(9);
    private static final long ANSWER_SECONDS = 10;

    private final Config config;
    private final LongSupplier clock;
    private final ShardOpener opener;
    private final ShardStore file;
    private final ShardStart plan;
    private final ShardSupervisor supervisor = new ShardSupervisor(this);
    /// In order of their numbers.
    private final List<Shard> shards = new CopyOnWriteArrayList<>();
    /// Shards whose disk had no space at the start, or hangs. They keep their mail, and are opened later.
    private final List<WaitingSpool> waiting = new CopyOnWriteArrayList<>();
    /// Shards that were open once and are closed.
    private final List<StoredShard> closed = new CopyOnWriteArrayList<>();
    /// Tells two processes with the same name apart.
    private final long processStart = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    private final ShardExchange exchange;
    private volatile @Nullable RecordKeeper records;
    /// Several shards use the limits of the server. Otherwise there are no leases.
    private boolean shared;
    /// Ends when the broker knows the lanes of a shard that had all of them.
    private CompletableFuture<Void> divided = CompletableFuture.completedFuture(null);
    private volatile boolean stopping;
    /// Where the claims of this node decide which shards are open, and not the file.
    private volatile @Nullable ClusterSide cluster;
    /// Takes new mail while the database does not answer. One of the shards, but nothing of the others concerns it.
    private volatile @Nullable LocalShard local;
    private volatile @Nullable ShardServices services;

    /// A step of the stop.
    @FunctionalInterface
    interface StopStep<T> {
        void run(T part) throws InterruptedException;
    }

    /// Opens the spool of a shard.
    @FunctionalInterface
    interface ShardOpener {
        /// @param othersGoOn whether the server has other shards
        Shard open(StoredShard stored, BooleanSupplier othersGoOn) throws SpoolException;
    }

    private ShardSet(Config config, LongSupplier clock, ShardOpener opener) {
        this.config = config;
        this.clock = clock;
        this.opener = opener;
        this.file = ShardStore.in(config.home());
        this.plan = new ShardStart(config.shard(), folder(config));
        this.exchange = config.cluster().listen().isEmpty()
                ? new ShardExchange()
                : new ShardExchange(config.cluster().node().orElse(""), processStart, NodeMessages.CLOCK_MILLIS);
    }

    private static Path folder(Config config) {
        return config.spool().directory();
    }

    // ---- start

    /// Opens and recovers the spools. Nothing is delivered before [#start].
    ///
    /// @param changes takes what becomes of the messages of a shard
    public static ShardSet open(Config config, LongSupplier clock,
            Function<StoredShard, Optional<ChangeSink>> changes) throws SpoolException, IOException {
        if (config.cluster().node().isPresent()) {
            return openInCluster(config, clock, changes, System::nanoTime);
        }
        return open(config, clock, (stored, othersGoOn) -> Shard.open(stored.number(), stored.spool(config.spool()),
                clock, stored.mode(), othersGoOn, changes.apply(stored)), changes);
    }

    static ShardSet open(Config config, LongSupplier clock, ShardOpener opener) throws SpoolException, IOException {
        return open(config, clock, opener, _ -> Optional.empty());
    }

    private static ShardSet open(Config config, LongSupplier clock, ShardOpener opener,
            Function<StoredShard, Optional<ChangeSink>> changes) throws SpoolException, IOException {
        ShardSet set = new ShardSet(config, clock, opener);
        try {
            set.open(changes);
            return set;
        } catch (SpoolException | IOException | RuntimeException refused) {
            // The next start still has to look for the copies of moves that a kill left.
            set.shards.forEach(shard -> shard.spool().closeAsInterrupted());
            throw refused;
        }
    }

    /// Joins the cluster, and returns when this node has a shard.
    ///
    /// @param nanos a clock like [System#nanoTime], for the leases of shards
    static ShardSet openInCluster(Config config, LongSupplier clock,
            Function<StoredShard, Optional<ChangeSink>> changes, LongSupplier nanos)
            throws SpoolException, IOException {
        ShardSet set = new ShardSet(config, clock, (stored, _) -> {
            throw new SpoolException(SpoolException.Reason.IN_USE, "Shard " + stored.number()
                    + " is opened by its claim only.");
        });
        // Other nodes use the same limits.
        set.shared = true;
        try {
            set.cluster = ClusterSide.join(config, set, set.exchange, set.processStart,
                    (stored, claim) -> Shard.openClaimed(claim, stored.spool(config.spool()), clock, set::hasOthers,
                            changes.apply(stored)),
                    clock, nanos);
            set.openLocal(changes, nanos);
            return set;
        } catch (SpoolException | IOException | RuntimeException refused) {
            set.shards.forEach(shard -> shard.spool().closeAsInterrupted());
            set.inCluster().ifPresent(ClusterSide::close);
            throw refused;
        }
    }

    private void openLocal(Function<StoredShard, Optional<ChangeSink>> changes, LongSupplier nanos)
            throws SpoolException, IOException {
        Set<Integer> used = known().stream().map(StoredShard::number).collect(Collectors.toSet());
        Optional<LocalShard> opened = LocalShard.open(config, clock, nanos, isClustered() ? Set.of() : used, changes);
        if (opened.isPresent()) {
            Shard shard = opened.get().shard();
            local = opened.get();
            shards.add(shard);
            shards.sort(Comparator.comparingInt(Shard::number));
            if (!isClustered()) {
                MovedCopies.sweep(shard.number(), shard.spool(), spools(others(shard)));
            }
        }
    }

    private Optional<LocalShard> local() {
        return Optional.ofNullable(local);
    }

    /// True for the shard on this server's disk that takes mail while the database does not answer.
    boolean isLocal(Shard shard) {
        return local().filter(each -> each.is(shard)).isPresent();
    }

    private boolean isShared(Shard shard) {
        return !isLocal(shard);
    }

    private boolean hasOthers() {
        return shards.stream().filter(this::isShared).count() > 1;
    }

    private void open(Function<StoredShard, Optional<ChangeSink>> changes) throws SpoolException, IOException {
        List<StoredShard> stored = file.read();
        ShardFolders folders = new ShardFolders(config.shard(), folder(config));
        folders.require(stored);
        List<StoredShard> toOpen = plan.toOpen(stored);
        Optional<Integer> keeper = file.keeper();
        for (StoredShard each : toOpen) {
            openOrWait(each, toOpen, keeper.orElse(toOpen.getFirst().number()));
        }
        stored.stream().filter(each -> toOpen.stream().noneMatch(open -> open.number() == each.number()))
                .forEach(closed::add);
        for (Path unknown : folders.unknown(known())) {
            log.warn("event=shard-folder-unknown folder={} next=\"mta shard add may open it\"", unknown);
        }
        sweepCopies();
        records = new RecordKeeper(this::all, keeper.isPresent()
                ? shard(keeper.get()).orElseThrow()
                : RecordKeeper.find(shards));
        closeEmpty();
        openLocal(changes, System::nanoTime);
        shared = config.shard().mode() != Growth.STATIC || config.shard().count() > 1 || count() > 1;
        keep();
    }

    /// One full disk does not stop the shards on other disks. Two cases refuse the start nevertheless:
    /// the shard whose spool keeps the suspensions, and a drain, because the copies that a move
    /// left must be compared before any of them is delivered.
    private void openOrWait(StoredShard shard, List<StoredShard> toOpen, int keeper) throws SpoolException {
        try {
            shards.add(open(shard));
        } catch (SpoolException refused) {
            if (refused.reason() != SpoolException.Reason.NO_SPACE || shard.number() == keeper
                    || toOpen.stream().anyMatch(each -> each.mode() == ShardMode.DRAINED)) {
                throw refused;
            }
            waiting.add(WaitingSpool.closed(shard, WaitReason.NO_SPACE));
            log.warn("event=shard-waits-for-space shard={} folder={} error=\"{}\" next=\"it is tried again\"",
                    shard.number(), shard.folder(), LogText.text(String.valueOf(refused.getMessage())));
        }
    }

    private Shard open(StoredShard stored) throws SpoolException {
        return opener.open(stored,
                () -> shards.stream().filter(this::isShared).anyMatch(each -> each.number() != stored.number()));
    }

    // Before any delivery (IM-33): a move that the last stop cut off left two copies. After a kill the
    // source of the move is not always drained any more: an operator enabled it, or the file of
    // shards is lost.
    private void sweepCopies() throws IOException {
        for (Shard shard : shards) {
            if (shard.mode() == ShardMode.DRAINED) {
                MovedCopies.sweep(shard.number(), shard.spool(), spools(others(shard)));
            }
        }
        boolean maybeTwice = shards.stream().anyMatch(shard -> shard.spool().wasInterrupted());
        if (shards.size() > 1 && maybeTwice) {
            for (Shard shard : shards) {
                MovedCopies.sweepBoth(shard.number(), shard.spool(), spools(others(shard)));
            }
        }
    }

    private List<Shard> others(Shard than) {
        return shards.stream().filter(each -> !each.equals(than) && isShared(each)).toList();
    }

    private static List<Spool> spools(List<Shard> of) {
        return of.stream().map(Shard::spool).toList();
    }

    // Before any delivery (IM-08).
    private void closeEmpty() throws IOException {
        if (shards.size() == 1) {
            return;
        }
        List<ShardLoad> loads = new ArrayList<>();
        for (Shard shard : shards) {
            loads.add(load(shard, mayClose(shard)));
        }
        for (int number : plan.toClose(loads)) {
            Shard shard = shard(number).orElseThrow();
            shards.remove(shard);
            shard.spool().close();
            closed.add(stored(shard).asClosed());
        }
    }

    /// Starts the queue managers.
    public synchronized void start(ShardServices parts) throws IOException {
        services = parts;
        records().forgetExpired(clock.getAsLong());
        for (Shard shard : shards) {
            start(shard);
        }
        supervisor.start(config.shard().interval());
        if (inCluster().isPresent()) {
            inCluster().get().start(this);
        }
        local().ifPresent(each -> each.start(() -> inCluster().map(ClusterSide::nodes).orElse(1),
                exchange::goesAlone));
    }

    /// Other settings for all shards. A shard that is between two runs starts with them.
    ///
    /// @param now all settings in force
    public synchronized void reload(ShardServices parts, Config now) {
        services = parts;
        inCluster().ifPresent(each -> each.settings(now));
        shards.forEach(shard -> shard.reload(parts));
    }

    /// Starts a run of the queue manager of a shard.
    synchronized void start(Shard shard) throws IOException {
        if (clusterOrders().isPresent()) {
            clusterOrders().get().adopt(shard.spool());
        }
        Spool.CommonRecords common = commonRecords();
        List<HostRow> known = HostStore.rows(common.hosts(), shard.number());
        RunStart start = new RunStart(known, exchange.hosts(shard.number(), records()), journal(shard.number()), shared,
                order -> exchange.order(shard.number(), order), mover(shard),
                inCluster().map(each -> each.lease(shard, isShared(shard))).orElse(DeliveryLease.ENDLESS));
        shard.start(Objects.requireNonNull(services), start, inbox -> {
            exchange.join(shard.number(), inbox::answer, config.lanesOfShard(shard.number()),
                    () -> shard.run().ifPresent(QueueRun::cutConnections));
            StandingOrderControl.restore(common.orders(), records().shard().spool(), inbox, clock.getAsLong());
        }, trouble -> supervisor.failed(shard, trouble));
    }

    /// The records of hosts, and the standing orders.
    Spool.CommonRecords commonRecords() throws IOException {
        Spool.CommonRecords kept = records().read();
        return clusterOrders().map(orders -> orders.common(kept)).orElse(kept);
    }

    private MessageMover mover(Shard source) {
        return new MessageMover(source.number(), source.spool(),
                isLocal(source)
                        ? () -> local().filter(LocalShard::mayMove).isPresent()
                        : () -> source.mode() == ShardMode.DRAINED,
                () -> place(others(source)).map(Shard::asTarget),
                isLocal(source) ? Objects.requireNonNull(local) : MessageMover.MoveDoubts.NONE);
    }

    /// The journal of a shard; empty when there is no such shard, or none writes a journal.
    ///
    /// @param number empty: the first shard
    public Optional<Path> journal(OptionalInt number) {
        List<Integer> all = known().stream().filter(each -> !each.closed()).map(StoredShard::number).sorted().toList();
        return number.isEmpty()
                ? all.stream().findFirst().flatMap(this::journal)
                : all.stream().filter(each -> each == number.getAsInt()).findFirst().flatMap(this::journal);
    }

    private Optional<Path> journal(int number) {
        // Not that of another shard, even when that one waits for its disk.
        int first = known().stream().filter(each -> !each.closed()).mapToInt(StoredShard::number).min().orElse(number);
        return config.operation().journal().file().map(file -> number == first && !isClustered()
                ? file
                : file.resolveSibling(file.getFileName() + "-" + number));
    }

    /// The lanes of all shards.
    List<LeaseAccount> accounts() {
        return exchange.accounts();
    }

    /// The connections of this shard are closed, and what it held is free.
    void gone(Shard shard) {
        exchange.gone(shard.number());
    }

    // ---- which shards

    /// The records that concern all shards.
    RecordKeeper records() {
        return Objects.requireNonNull(records);
    }

    /// True for an empty shard that has nothing for the others.
    boolean mayClose(Shard shard) throws IOException {
        return !records().is(shard) && shard.isEmpty();
    }

    /// The open shards, in order of their numbers.
    public List<Shard> all() {
        return List.copyOf(shards);
    }

    /// The open shard with this number.
    public Optional<Shard> shard(int number) {
        for (Shard shard : shards) {
            if (shard.number() == number) {
                return Optional.of(shard);
            }
        }
        return Optional.empty();
    }

    /// The shards that wait for their disks.
    List<WaitingSpool> waiting() {
        return List.copyOf(waiting);
    }

    private int count() {
        synchronized (waiting) {
            return shards.size() + waiting.size();
        }
    }

    /// True when no other shard has mail or gets some.
    boolean isAlone() {
        return count() == 1;
    }

    /// All shards that were ever open, by number.
    List<StoredShard> known() {
        List<StoredShard> all = new ArrayList<>(closed);
        synchronized (waiting) {
            shards.stream().filter(this::isShared).forEach(each -> all.add(stored(each)));
            waiting.forEach(each -> all.add(each.stored()));
        }
        all.sort(Comparator.comparingInt(StoredShard::number));
        return all;
    }

    private static StoredShard stored(Shard shard) {
        return new StoredShard(shard.number(), shard.mode(), false, shard.where().directory());
    }

    private void keep() throws IOException {
        if (isClustered()) {
            return;
        }
        LogShard.several(count() > 1);
        write(records().shard().number());
    }

    private void write(int keeper) throws IOException {
        file.write(known(), keeper, folder(config));
    }

    ShardRules rules() {
        return config.shard().rules();
    }

    ShardLoad load(Shard shard, boolean empty) {
        ShardServices parts = services;
        return shard.load(parts == null ? config : parts.config(), shards.size(), empty);
    }

    // ---- arrival

    /// Begins a new message in the shard that takes the next one. A shard that refuses, for example
    /// because its disk is full, leaves the message to another.
    public Draft draft() throws IOException {
        Optional<LocalShard> here = local().filter(LocalShard::isKeeping);
        if (here.isPresent()) {
            return here.get().draft();
        }
        List<Shard> left = new ArrayList<>(shards);
        left.removeIf(this::isLocal);
        @Nullable
        IOException refused = null;
        for (Optional<Shard> next = place(left); next.isPresent(); next = place(left)) {
            try {
                return next.get().draft();
            } catch (IOException full) {
                refused = full;
                left.remove(next.get());
            }
        }
        throw refused != null
                ? refused
                : new IOException("no shard takes new mail; mta shard enable N ends that");
    }

    /// The shard among these that takes the next message. One whose disk is slow or hangs takes it
    /// only when no other does, because the client would wait for that disk.
    Optional<Shard> place(List<Shard> among) {
        if (among.size() == 1) {
            return Optional.of(among.getFirst()).filter(Shard::takesMail);
        }
        // Loops, because each message comes here.
        List<ShardLoad> quick = new ArrayList<>(among.size());
        List<ShardLoad> slow = new ArrayList<>(0);
        for (Shard shard : among) {
            (shard.spool().isSlow() ? slow : quick).add(load(shard, false));
        }
        Optional<Integer> found = rules().place(quick, ThreadLocalRandom.current());
        if (found.isEmpty()) {
            found = rules().place(slow, ThreadLocalRandom.current());
        }
        for (Shard shard : found.isPresent() ? among : List.<Shard>of()) {
            if (shard.number() == found.get()) {
                return Optional.of(shard);
            }
        }
        return Optional.empty();
    }

    /// A message was committed to the shard that its id names. The first scan of a shard that opens again
    /// finds it.
    public void arrived(MessageSummary message) {
        shard(message.id().shard()).ifPresent(shard -> shard.arrived(message));
    }

    /// True when a shard has this message; moved mail keeps its id.
    ///
    /// @throws IOException also when the shard that the id names waits for its disk
    public boolean contains(QueueId id) throws IOException {
        for (Shard shard : shards) {
            if (shard.spool().envelope(id).isPresent()) {
                return true;
            }
        }
        for (WaitingSpool each : waiting) {
            if (each.number() == id.shard()) {
                throw new IOException("shard " + id.shard() + " may have it, and " + each.why().text());
            }
        }
        return false;
    }

    /// Address probes by the first shard that delivers; without one, nothing is known.
    public Verifications probes() {
        return (address, answer) -> shards.stream().filter(each -> each.state() == Shard.ShardState.RUNNING)
                .map(Shard::run).flatMap(Optional::stream).findFirst()
                .ifPresentOrElse(run -> new Probing(run.dispatcher().commands(), _ -> Optional.empty(), (_, _) -> {})
                        .verify(address, answer), () -> answer.accept(NO_SHARD));
    }

    /// True when mail arrives faster than the queue managers take it up.
    public boolean isBehindArrivals() {
        Optional<LocalShard> here = local().filter(LocalShard::isKeeping);
        return here.isPresent()
                ? here.get().shard().isBehindArrivals()
                : shards.stream().filter(this::isShared).allMatch(Shard::isBehindArrivals);
    }

    // ---- changes

    /// Opens one more shard, above the highest number. Empty when there are as many as the settings
    /// permit.
    synchronized Optional<Shard> add() throws IOException, SpoolException {
        Optional<StoredShard> next = count() - local().stream().count() < config.shard().maximum()
                ? plan.next(known()).filter(each -> shard(each.number()).isEmpty())
                : Optional.empty();
        return next.isPresent() ? Optional.of(bring(next.get(), open(next.get()))) : Optional.empty();
    }

    /// Opens a shard that was closed.
    synchronized Shard reopen(StoredShard shard) throws IOException, SpoolException {
        StoredShard normal = shard.opened().with(ShardMode.NORMAL);
        return bring(normal, open(normal));
    }

    /// Opens a shard that waited for its disk. Orders for the other shards go on while its index is made.
    Shard openWaiting(StoredShard shard) throws IOException, SpoolException {
        return bring(shard, open(shard));
    }

    /// Goes on without a shard whose disk hangs. Waits for no disk and no lock that is held meanwhile.
    ///
    /// @return false when there is no other shard
    boolean giveUp(Shard shard) {
        synchronized (waiting) {
            if (shards.size() < 2 || !shards.remove(shard)) {
                return false;
            }
            waiting.add(new WaitingSpool(stored(shard), WaitReason.HUNG, Optional.of(shard)));
        }
        shard.giveUp();
        return true;
    }

    /// A shard that was given up is closed: its disk answers.
    WaitingSpool closed(Shard shard) {
        WaitingSpool now = WaitingSpool.closed(stored(shard), WaitReason.NOT_OPENED);
        waiting.replaceAll(each -> each.number() == shard.number() ? now : each);
        return now;
    }

    private synchronized Shard bring(StoredShard stored, Shard shard) throws IOException {
        try {
            if (stopping) {
                throw new IOException("the server stops");
            }
            divideLimits();
            if (records().is(shard) || shards.stream().noneMatch(this::isShared)) {
                records().reopened(shard);
            }
            long orders = clusterOrders().map(ClusterOrders::changes).orElse(0L);
            start(shard);
            closed.removeIf(each -> each.number() == stored.number());
            synchronized (waiting) {
                waiting.removeIf(each -> each.number() == stored.number() || each.why() == WaitReason.ELSEWHERE);
                shards.add(shard);
                shards.sort(Comparator.comparingInt(Shard::number));
            }
            if (clusterOrders().isPresent() && clusterOrders().get().changes() != orders) {
                clusterOrders().get().repeat(shard.suspensions());
            }
            keep();
            log.info("event=shard-added shard={} folder={}", shard.number(), stored.folder());
            return shard;
        } catch (IOException | RuntimeException refused) {
            shards.remove(shard);
            leave(shard);
            throw refused;
        }
    }

    /// Closes an empty shard to which no session writes. False when it is not empty any more, or keeps
    /// the records of all.
    synchronized boolean close(Shard shard) throws IOException {
        if (!mayClose(shard)) {
            return false;
        }
        shards.remove(shard);
        closed.add(stored(shard).asClosed());
        keep();
        leave(shard);
        log.info("event=shard-closed shard={} folder={}", shard.number(), shard.where().directory());
        return true;
    }

    // Until now the limits of the server belonged to its one shard. From now on it holds the lanes that it
    // uses, and the next shard begins when the broker knows them.
    private void divideLimits() throws IOException {
        if (!shared) {
            shared = true;
            Shard only = shards.getFirst();
            only.run().ifPresent(QueueRun::share);
            divided = exchange.divide(only.number(), config.lanesOfShard(only.number()));
        }
        try {
            divided.get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException unanswered) {
            throw new IOException("the queue manager does not answer", unanswered);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("stopping", stop);
        }
    }

    private void leave(Shard shard) {
        try {
            shard.close(CLOSE);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        gone(shard);
    }

    /// Sets the mode of an open shard.
    synchronized void mode(Shard shard, ShardMode mode) throws IOException {
        ShardMode before = shard.mode();
        shard.mode(mode);
        try {
            keep();
        } catch (IOException notKept) {
            shard.mode(before);
            throw notKept;
        }
        log.info("event=shard-mode shard={} mode={}", shard.number(), SettingsRecords.word(mode));
        drain(shard);
    }

    /// Moves the mail of a drained shard to others, and its records of hosts and standing orders; once it
    /// has none, the shard is closed.
    void drain(Shard shard) {
        if (shard.mode() == ShardMode.DRAINED && !shard.isLeaving() && services != null && isShared(shard)) {
            moveRecords(shard);
            shard.drain(() -> shard.leave(!records().is(shard)));
        }
    }

    private synchronized void moveRecords(Shard from) {
        Optional<Shard> to = others(from).stream().filter(each -> each.mode() != ShardMode.DRAINED).findFirst();
        if (!records().is(from) || to.isEmpty()) {
            return;
        }
        try {
            records().moveTo(to.get(), isClustered() ? _ -> {} : this::write);
        } catch (IOException refused) {
            log.warn("event=shard-records-not-moved from={} to={} error=\"{}\" next=\"tried again\"", from.number(),
                    to.get().number(), LogText.text(FailureWords.of(refused)));
        }
    }

    // ---- a cluster

    boolean isClustered() {
        return config.cluster().node().isPresent();
    }

    /// Empty for a server that is alone.
    Optional<ClusterSide> inCluster() {
        return Optional.ofNullable(cluster);
    }

    /// The standing orders of the cluster; empty for a server that is alone.
    Optional<ClusterOrders> clusterOrders() {
        return inCluster().map(ClusterSide::orders);
    }

    /// The name of this node; empty for a server that is alone.
    String node() {
        return config.cluster().node().orElse("");
    }

    /// Troubles of the cluster, and of mail that is kept here.
    public List<TroubleView> clusterTroubles() {
        boolean keepsHere = local().filter(LocalShard::isKeeping).isPresent();
        return Stream.concat(inCluster().map(each -> each.troubles(keepsHere)).orElse(List.of()).stream(),
                local().flatMap(LocalShard::trouble).stream()).toList();
    }

    /// Empty for a server that is alone.
    public Optional<ClusterFigures> clusterFigures() {
        return inCluster().map(ClusterSide::figures);
    }

    /// A shard that this node has claimed and opened. Before [#start] it only gets its place.
    void arrives(Shard shard, StoredShard stored) throws IOException {
        if (services != null) {
            bring(stored, shard);
            return;
        }
        if (records == null) {
            records = new RecordKeeper(this::all, shard);
        }
        shards.add(shard);
        shards.sort(Comparator.comparingInt(Shard::number));
    }

    /// A shard that another node owns, or gets. New mail goes to the others from now on.
    void leaves(Shard shard) {
        synchronized (waiting) {
            shards.remove(shard);
            if (shards.stream().noneMatch(this::isShared)) {
                waiting.add(WaitingSpool.closed(stored(shard), WaitReason.ELSEWHERE));
            }
        }
    }

    /// Another shard of this node keeps the records that concern all, if it has another one. Otherwise the next
    /// that it gets does.
    void leaveRecords(Shard shard) {
        moveRecords(shard);
    }

    // ---- stop, in this order

    /// From here on no more deliveries are chosen.
    public void stopChoosing() {
        stopping = true;
        inCluster().ifPresent(ClusterSide::stopClaiming);
        supervisor.close();
        local().ifPresent(LocalShard::stopMoving);
        shards.forEach(shard -> shard.run().ifPresent(QueueRun::stopChoosing));
    }

    public void closeConnections(Duration limit) throws InterruptedException {
        eachRun(run -> run.closeConnections(limit));
    }

    public void stopQueueManagers(Duration limit) throws InterruptedException {
        eachRun(run -> run.stopQueueManager(limit));
    }

    public void closeDispatchers() throws InterruptedException {
        eachRun(QueueRun::closeDispatcher);
    }

    public void closeJournals(Duration limit) throws InterruptedException {
        eachRun(run -> run.closeJournal(limit));
    }

    public void closeSpools() throws InterruptedException {
        inParallel(shards, shard -> {
            shard.spool().close();
            if (isShared(shard)) {
                inCluster().ifPresent(each -> each.closed(shard));
            }
        });
        local().ifPresent(LocalShard::close);
        inCluster().ifPresent(ClusterSide::close);
    }

    private void eachRun(StopStep<QueueRun> step) throws InterruptedException {
        inParallel(shards.stream().map(Shard::run).flatMap(Optional::stream).toList(), step);
    }

    /// All at once, since each may need the whole time.
    private static <T> void inParallel(List<T> parts, StopStep<T> step) throws InterruptedException {
        List<Thread> threads = parts.stream()
                .map(part -> Thread.ofPlatform().daemon().name("stop-shard").start(() -> run(part, step))).toList();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static <T> void run(T part, StopStep<T> step) {
        try {
            step.run(part);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException trouble) {
            log.warn("event=stop-step-failed step=\"{}\"", part, trouble);
        }
    }
}
