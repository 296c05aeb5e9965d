package org.slipstream.events.suppression;

import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.LogText;
import org.slipstream.core.order.SuppressionVerb.Cause;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// The list of suppressed recipients, on disk. An order of an operator is on disk when the call returns; an
/// entry that the server makes by itself is written within a second, and made again by the next refusal when a
/// crash loses it.
///
/// An ordered map of H2 and not a table: a look-up stands on the path of each recipient, and four keys are all
/// that is asked for. Its memory is that of its cache.
///
/// **Trouble.** H2 closes a store that could not be written, on a full disk for example. It is opened again by a
/// question, at most every ten seconds; until then questions fail with an `IOException`. May be called by any thread.
public final class SuppressionList implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SuppressionList.class);
    /// Some 150 octets of disk each.
    public static final int MOST = 10_000_000;
    /// Addresses that had refusals and are not suppressed yet. When there are more, all counts begin again.
    private static final int MOST_COUNTED = 1_000_000;
    private static final int CACHE_MIB = 16;
    private static final String NO_SENDER = "";

    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final StoreOpening opening;
    private final LongSupplier nanoTime;
    private volatile Maps maps;
    private long openedNanos;
    private boolean closing;

    @FunctionalInterface
    interface StoreOpening {
        MVStore open() throws IOException;
    }

    /// @param entries by [Suppression#key]
    /// @param refusals their number, by address
    private record Maps(MVStore store, MVMap<String, String> entries, MVMap<String, Integer> refusals) {
        static Maps of(MVStore store) {
            return new Maps(store, store.openMap("suppressions"), store.openMap("refusals"));
        }
    }

    SuppressionList(StoreOpening opening, LongSupplier nanoTime) throws IOException {
        this.opening = opening;
        this.nanoTime = nanoTime;
        maps = Maps.of(opening.open());
        openedNanos = nanoTime.getAsLong() - AGAIN_NANOS;
    }

    /// @param file is made when it is missing; a file that cannot be read is set aside and told
    public static SuppressionList open(Path file) throws IOException {
        if (Files.notExists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        return new SuppressionList(() -> opened(file), System::nanoTime);
    }

    private <T> T ask(Function<Maps, T> question) throws IOException {
        Maps now = maps;
        try {
            return question.apply(now);
        } catch (RuntimeException failed) {
            if (!now.store.isClosed()) {
                throw new IOException("the list of suppressions cannot be used: " + failed.getMessage(), failed);
            }
        }
        try {
            return question.apply(again(now));
        } catch (RuntimeException failed) {
            throw new IOException("the list of suppressions cannot be used: " + failed.getMessage(), failed);
        }
    }

    private synchronized Maps again(Maps broken) throws IOException {
        if (maps == broken) {
            if (closing || nanoTime.getAsLong() - openedNanos < AGAIN_NANOS) {
                throw new IOException("the list of suppressions was closed after a failure");
            }
            openedNanos = nanoTime.getAsLong();
            maps = Maps.of(opening.open());
        }
        return maps;
    }

    private static MVStore opened(Path file) throws IOException {
        try {
            return store(file);
        } catch (MVStoreException failed) {
            if (!isDamage(failed)) {
                throw new IOException(failed.getErrorCode() == DataUtils.ERROR_FILE_LOCKED
                        ? "another server is running for this home; stop it first"
                        : failed.getMessage() + "; correct its permissions, or move it away", failed);
            }
            Path aside = file.resolveSibling(file.getFileName() + ".damaged");
            Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
            log.error("event=suppressions-set-aside file={} next=\"mta suppression import FILE, with the last export\""
                    + " error=\"{}\"", aside, LogText.text(String.valueOf(failed.getMessage())));
            return store(file);
        }
    }

    /// A cut of the power may leave a file that is shorter than its header. H2 reports that one as unreadable.
    private static boolean isDamage(MVStoreException failed) {
        return failed.getErrorCode() == DataUtils.ERROR_FILE_CORRUPT
                || failed.getErrorCode() == DataUtils.ERROR_UNSUPPORTED_FORMAT
                || failed.getErrorCode() == DataUtils.ERROR_READING_FAILED
                        && failed.getCause() instanceof EOFException;
    }

    private static MVStore store(Path file) {
        return new MVStore.Builder().fileName(file.toString()).cacheSize(CACHE_MIB).autoCommitBufferSize(1024)
                .backgroundExceptionHandler((_, failure) -> log.warn(
                        "event=suppressions-not-written file={} error=\"{}\"", file,
                        LogText.text(String.valueOf(failure.getMessage()))))
                .open();
    }

    /// @param sender empty for reports, which are never suppressed
    public Optional<Suppression> of(Optional<Address> sender, Address recipient, long nowMillis) throws IOException {
        if (sender.isEmpty() || isEmpty()) {
            return Optional.empty();
        }
        String address = recipient.folded().toString();
        String domain = recipient.domainKey();
        String from = sender.get().domainKey();
        return ask(in -> get(in, address, NO_SENDER, nowMillis).or(() -> get(in, address, from, nowMillis))
                .or(() -> get(in, domain, NO_SENDER, nowMillis)).or(() -> get(in, domain, from, nowMillis)));
    }

    private static Optional<Suppression> get(Maps in, String recipient, String senderDomain, long nowMillis) {
        String key = Suppression.key(recipient, senderDomain);
        Optional<Suppression> found = Optional.ofNullable(in.entries.get(key)).map(value -> Suppression.of(key, value));
        if (found.filter(entry -> entry.isOver(nowMillis)).isPresent()) {
            in.entries.remove(key);
            return Optional.empty();
        }
        return found;
    }

    /// Adds entries, in place of earlier ones for the same recipient and sender's domain.
    ///
    /// @throws IOException when the disk refuses, or the list would be longer than [#MOST]
    public void add(List<Suppression> added) throws IOException {
        if (count() + added.size() > MOST) {
            throw new IOException("the list of suppressions has at most " + MOST + " entries");
        }
        ask(in -> {
            added.forEach(each -> in.entries.put(each.key(), each.value()));
            return synced(in, added);
        });
    }

    /// @return those that were there
    public List<Suppression> remove(List<String> recipients, String senderDomain) throws IOException {
        return ask(in -> {
            List<Suppression> removed = new ArrayList<>();
            for (String each : recipients) {
                String key = Suppression.key(each, senderDomain);
                Optional.ofNullable(in.entries.remove(key))
                        .ifPresent(value -> removed.add(Suppression.of(key, value)));
                in.refusals.remove(each);
            }
            return synced(in, removed);
        });
    }

    private static List<Suppression> synced(Maps in, List<Suppression> changed) {
        in.store.commit();
        in.store.sync();
        return changed;
    }

    /// A part of the list, in the order of the recipients.
    ///
    /// @param entries without those that are over
    /// @param next the place where the next part begins; empty at the end
    public record SuppressionPage(List<Suppression> entries, Optional<String> next) {}

    /// @param after as in the page before
    /// @param text that the recipient contains; empty for all
    public SuppressionPage page(Optional<String> after, String text, int limit, long nowMillis) throws IOException {
        return ask(in -> page(in, after, text.toLowerCase(Locale.ROOT), limit, nowMillis));
    }

    private static SuppressionPage page(Maps in, Optional<String> after, String text, int limit, long nowMillis) {
        List<Suppression> found = new ArrayList<>();
        Iterator<String> keys = in.entries.keyIterator(after.orElse(null));
        // A search that finds little ends after a bounded number of entries, and goes on with the next page.
        for (int looked = 0; keys.hasNext(); looked++) {
            String key = keys.next();
            if (after.filter(key::equals).isPresent()) {
                continue;
            }
            if (found.size() == limit || looked > 100 * limit) {
                return new SuppressionPage(found, Optional.of(in.entries.lowerKey(key)));
            }
            String value = in.entries.get(key);
            if (value != null && key.substring(0, Suppression.behindRecipient(key)).contains(text)) {
                Suppression entry = Suppression.of(key, value);
                if (!entry.isOver(nowMillis)) {
                    found.add(entry);
                }
            }
        }
        return new SuppressionPage(found, Optional.empty());
    }

    /// Never blocks.
    public boolean isEmpty() {
        return maps.entries.isEmpty();
    }

    public long count() {
        return maps.entries.sizeAsLong();
    }

    /// Counts a refusal that says that the address does not exist. The address is suppressed for all senders when
    /// it had so many without a delivery between them.
    ///
    /// @return the new entry
    public Optional<Suppression> refused(Address recipient, String reply, int suppressAfter, long nowMillis,
            long untilMillis) throws IOException {
        String address = recipient.folded().toString();
        return ask(in -> {
            int count = 1 + Optional.ofNullable(in.refusals.get(address)).orElse(0);
            if (count < suppressAfter || in.entries.sizeAsLong() >= MOST) {
                if (in.refusals.sizeAsLong() >= MOST_COUNTED) {
                    in.refusals.clear();
                }
                in.refusals.put(address, count);
                return Optional.empty();
            }
            in.refusals.remove(address);
            Suppression entry = new Suppression(address, NO_SENDER, Cause.HARD_BOUNCE, reply, nowMillis, untilMillis);
            // An entry of an operator says more.
            return in.entries.putIfAbsent(entry.key(), entry.value()) == null ? Optional.of(entry) : Optional.empty();
        });
    }

    /// False when no address has refusals that count; never blocks.
    public boolean countsRefusals() {
        return !maps.refusals.isEmpty();
    }

    /// Ends the count of refusals of an address that took mail.
    public void delivered(Address recipient) throws IOException {
        ask(in -> Optional.ofNullable(in.refusals.remove(recipient.folded().toString())));
    }

    @Override
    public synchronized void close() {
        closing = true;
        maps.store.close();
    }
}
