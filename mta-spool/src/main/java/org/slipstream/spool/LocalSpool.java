package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Envelope;
import org.slipstream.core.Letter;
import org.slipstream.core.QueueId;
import org.slipstream.core.QueueName;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.register.Change;
import org.slipstream.spool.register.DamagedRowsException;
import org.slipstream.spool.register.HostRecord;
import org.slipstream.spool.register.Register;
import org.slipstream.spool.register.Search;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// The spool on the local disk: hands changes to the writer, answers questions from memory, register and box.
final class LocalSpool implements Spool {
    private static final Logger LOG = LoggerFactory.getLogger(LocalSpool.class);

    private final SpoolConfig config;
    private final LongSupplier clock;
    private final LetterBox box;
    private final Register register;
    private final FreshLetters fresh;
    private final SpaceGuard space;
    private final SpoolWriter writer;
    private final ReaderThreads readers;
    private final SpoolLock lock;
    private final AtomicLong lastId;
    private final Patience patience;
    private final DraftMemory drafts;
    private final Optional<Watchdog> watchdog;

    /// Takes over everything it gets; [#close] closes it.
    LocalSpool(SpoolConfig config, LongSupplier clock, LetterBox box, Register register, FreshLetters fresh,
            SpaceGuard space, SpoolWriter writer, ReaderThreads readers, SpoolLock lock, long lastId,
            Patience patience, DraftMemory drafts, Optional<Watchdog> watchdog) {
        this.config = config;
        this.clock = clock;
        this.box = box;
        this.register = register;
        this.fresh = fresh;
        this.space = space;
        this.writer = writer;
        this.readers = readers;
        this.lock = lock;
        this.lastId = new AtomicLong(lastId);
        this.patience = patience;
        this.drafts = drafts;
        this.watchdog = watchdog;
    }

    @Override
    public Draft draft() throws NoSpaceException {
        space.require();
        long now = clock.getAsLong();
        QueueId id = new QueueId(lastId.updateAndGet(last -> QueueId.after(last, now).value()));
        return new WritingDraft(id, box, writer, space, clock, config.inlineBytes(), drafts);
    }

    @Override
    public void record(QueueId id, List<RecipientOutcome> outcomes, boolean attempt, Runnable then) {
        if (fresh.recorded(id, outcomes)) {
            // What is left to be known of it is that it is finished: one change instead of two, and no rows are written only
            // to be deleted.
            alter(new Change.Remove(id, fresh.locate(id)), then);
            return;
        }
        alter(new Change.Outcomes(id, List.copyOf(outcomes), clock.getAsLong(), attempt), then);
    }

    @Override
    public void defer(QueueId id, long nextAttemptMillis, Runnable then) {
        alter(new Change.NextAttempt(id, nextAttemptMillis), then);
    }

    @Override
    public void remove(QueueId id, Runnable then) {
        Optional<Register.Located> located = fresh.locate(id);
        if (fresh.forget(id)) {
            // Its last outcome has removed it; only the answer is missing.
            add(new Task.Alteration(List.of(), then), "nothing");
            return;
        }
        alter(new Change.Remove(id, located), then);
    }

    @Override
    public void hold(QueueId id, boolean held, Runnable then) {
        alter(new Change.Hold(id, held), then);
    }

    @Override
    public void makeDue(Optional<QueueId> id, Optional<String> domain, long nowMillis, Runnable then) {
        if (id.isPresent()) {
            alter(new Change.MakeDue(List.of(id.get()), nowMillis), then);
        } else {
            new MakingDue(register, readers, writer, domain, nowMillis, then).begin();
        }
    }

    @Override
    public void failuresReported(QueueId id, Runnable then) {
        alter(new Change.FailuresReported(id), then);
    }

    @Override
    public void delayReported(QueueId id, Runnable then) {
        alter(new Change.DelayReported(id), then);
    }

    @Override
    public void keepHost(HostRecord host) {
        alter(new Change.KeepHost(host), () -> {});
    }

    @Override
    public void forgetHost(String host, String kind) {
        alter(new Change.ForgetHost(host, kind), () -> {});
    }

    @Override
    public List<HostRecord> hosts() throws IOException {
        return readers.read(register::hosts);
    }

    private void alter(Change change, Runnable then) {
        add(new Task.Alteration(List.of(change), then), change);
    }

    @Override
    public void claimDue(QueueName queue, long nowMillis, int limit, long leaseUntilMillis,
            long heldCreatedBeforeMillis,
            long furthestMillis, Consumer<Claimed> then) {
        Change.Claim claim = new Change.Claim(queue, nowMillis, Math.min(limit, Integer.MAX_VALUE - 1),
                leaseUntilMillis,
                heldCreatedBeforeMillis, furthestMillis);
        add(new Task.Claiming(claim, found -> then
                .accept(new Claimed(found.messages(), found.more(), found.nextDueMillis()))), claim);
    }

    private void add(Task task, Object change) {
        if (!writer.add(task)) {
            LOG.warn("event=change-after-close change={}", change);
        }
    }

    @Override
    public RecipientBatch readRecipients(QueueId id, int after, int limit) throws IOException, DamagedException {
        Optional<List<Recipient>> untried = fresh.openRecipients(id);
        if (untried.isPresent()) {
            return RecipientBatch.of(untried.get(), after, limit);
        }
        int most = Math.min(limit, Integer.MAX_VALUE - 1);
        try {
            List<Recipient> open = readers.read(() -> register.openRecipients(id, after, most + 1));
            return new RecipientBatch(open.subList(0, Math.min(most, open.size())), open.size() <= most);
        } catch (DamagedRowsException e) {
            setAside(id, e.getMessage());
            throw new DamagedException(e.getMessage());
        }
    }

    /// Marks the message; its rows and its letter stay where they are.
    private void setAside(QueueId id, String reason) {
        LOG.warn("event=message-set-aside queue={} reason=\"{}\"", id, reason);
        alter(new Change.SetAside(id), () -> {});
    }

    @Override
    public Optional<InMemory> inMemory(QueueId id) {
        return fresh.inMemory(id);
    }

    @Override
    public Letter letter(QueueId id) throws IOException {
        Optional<Letter> inMemory = fresh.letter(id);
        if (inMemory.isPresent()) {
            return inMemory.get();
        }
        Register.Located located = readers.read(() -> register.locate(id))
                .orElseThrow(() -> new NoSuchFileException("no message " + id));
        return box.letter(id, located.place(), located.sizeBytes(), () -> letterDamaged(id));
    }

    private void letterDamaged(QueueId id) {
        try {
            // A letter that was removed meanwhile is not damaged.
            if (readers.read(() -> register.locate(id)).isPresent()) {
                setAside(id, "its letter is damaged or missing");
            }
        } catch (IOException e) {
            LOG.warn("event=register-not-read queue={} error=\"{}\"", id, e.toString());
        }
    }

    @Override
    public Optional<Envelope> envelope(QueueId id) throws IOException {
        Optional<Envelope> inMemory = fresh.envelope(id);
        return inMemory.isPresent() ? inMemory : registered(id).map(Register.Registered::envelope);
    }

    @Override
    public Optional<Details> details(QueueId id) throws IOException {
        return registered(id).map(LocalSpool::details);
    }

    private Optional<Register.Registered> registered(QueueId id) throws IOException {
        try {
            return readers.read(() -> register.message(id));
        } catch (DamagedRowsException e) {
            setAside(id, e.getMessage());
            throw e;
        }
    }

    private static Details details(Register.Registered message) {
        return new Details(message.summary(), message.envelope(), message.nextAttemptMillis(),
                message.recipients().stream().map(each -> new RecipientState(each.recipient(), switch (each.status()) {
                    case OPEN -> State.OPEN;
                    case DELIVERED -> State.DELIVERED;
                    case FAILED -> State.FAILED;
                    case FAILED_AND_REPORTED -> State.FAILED_AND_REPORTED;
                }, each.last(), each.atMillis())).toList());
    }

    @Override
    public List<Details> list(Optional<QueueId> after, int limit) throws IOException {
        List<Details> listed = new ArrayList<>();
        Optional<QueueId> from = after;
        while (listed.size() < limit) {
            Optional<QueueId> start = from;
            int wanted = limit - listed.size();
            Register.Page page = readers.read(() -> register.page(start, wanted));
            page.messages().forEach(message -> listed.add(details(message)));
            page.damaged().forEach(damaged -> setAside(damaged.id(), damaged.what()));
            if (page.damaged().isEmpty() || page.messages().size() + page.damaged().size() < wanted) {
                break;
            }
            // Damaged ones made the page shorter, and a short page would look like the last.
            from = Stream.concat(page.messages().stream().map(message -> message.summary().id()),
                    page.damaged().stream().map(Register.DamagedMessage::id)).max(QueueId::compareTo);
        }
        return listed;
    }

    @Override
    public List<SetAside> setAside(Optional<QueueId> after, int limit) throws IOException {
        Register.Page page = readers.read(() -> register.setAside(after, limit));
        List<SetAside> listed = new ArrayList<>();
        for (Register.Registered message : page.messages()) {
            listed.add(setAside(details(message)));
        }
        page.damaged().forEach(each -> listed.add(new SetAside(each.id(), Optional.empty(), each.what(), false)));
        listed.sort(Comparator.comparing(SetAside::id));
        return listed;
    }

    private SetAside setAside(Details message) throws IOException {
        QueueId id = message.summary().id();
        Optional<Register.Located> located = readers.read(() -> register.locate(id));
        try (InputStream letter = box.letter(id, located.orElseThrow(() -> new NoSuchFileException("" + id)).place(),
                message.summary().sizeBytes(), () -> {}).open()) {
            letter.transferTo(OutputStream.nullOutputStream());
            return new SetAside(id, Optional.of(message), "its letter can be read; `mta spool repair` queues it again",
                    true);
        } catch (IOException e) {
            return new SetAside(id, Optional.of(message), SpoolTools.reason(e), false);
        }
    }

    @Override
    public Register.Found find(Search search, Optional<QueueId> after, int limit) throws IOException {
        long now = clock.getAsLong();
        return readers.read(() -> register.find(search, now, after, limit));
    }

    @Override
    public Register.Found tried(String domain) throws IOException {
        return readers.read(() -> register.tried(domain));
    }

    @Override
    public List<Details> details(List<QueueId> ids) throws IOException {
        Register.Page page = readers.read(() -> register.messages(ids));
        page.damaged().forEach(damaged -> setAside(damaged.id(), damaged.what()));
        return page.messages().stream().map(LocalSpool::details).toList();
    }

    @Override
    public Counts counts() throws IOException {
        Register.Totals totals = readers.read(register::totals);
        return new Counts(totals.messages(), totals.held(), totals.corrupt() + setAsideFiles(), totals.sizeBytes());
    }

    @Override
    public List<Trouble> troubles() {
        List<Trouble> now = new ArrayList<>(writer.troubles());
        space.shortage().ifPresent(shortage -> now.add(new Trouble(shortage.what(),
                clock.getAsLong() - shortage.millis(), shortage.reason(), true)));
        return now;
    }

    private long setAsideFiles() throws IOException {
        Path corrupt = config.directory().resolve("corrupt");
        try (Stream<Path> files = Files.list(corrupt)) {
            return files.count();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void close() {
        patience.close();
        writer.close();
        watchdog.ifPresent(Watchdog::close);
        readers.close();
        lock.close();
    }
}
