package org.slipstream.inject;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.inject.InjectionTarget.DurableMark;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// The idempotency keys of requests, and how far each request came: the file `injection-keys` of the home folder.
///
/// **A repetition after a kill.** A message is known by its queue id before it is stored. So a line `I` names key,
/// number and queue id before the commit, and a line `S` follows the commit, before the queue manager knows the
/// message and could deliver it. After a kill the spool is asked about each `I` without an `S`, before any delivery:
/// the message is there, or it was never stored. Both lines are in the page cache when the process dies.
///
/// **After a power cut** lines may be missing. The file is synced before a request is answered, so a repetition of an
/// answered request finds its key. One that was not answered may store its latest messages again.
///
/// **Bounds.** A key is kept for 24 hours and among the latest [#MOST_KEYS]. A mailing has one line for each page that
/// is complete, so its cost in memory does not grow with its recipients.
///
/// ```
/// I key number queue-id hash milliseconds    the message is about to be stored
/// S key number                               it is stored
/// P key number hash queue-id milliseconds    all up to this number are decided
/// ```
///
/// The hash is that of the body up to this message. It shows that a repetition has the same body.
///
/// Any thread may use it.
public final class RequestKeys implements AutoCloseable {
    /// The name of the file in the home folder.
    public static final String FILE = "injection-keys";
    static final int MOST_KEYS = 100_000;
    private static final long KEPT_MILLIS = 24 * 3_600_000L;
    private static final long COMPACT_BYTES = 4 << 20;
    private static final int COMPACT_FACTOR = 4;
    private static final int HASH_OCTETS = 16;
    private static final Logger log = LoggerFactory.getLogger(RequestKeys.class);

    private final Path path;
    private final LongSupplier clock;
    private final int mostKeys;
    /// In the order of the last change.
    private final Map<String, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);
    private volatile FileChannel file;
    private long bytes;
    private long bytesAfterCompaction;
    private boolean torn;
    private final Object syncing = new Object();
    private volatile long written;
    private long synced;

    /// The spool, before deliveries begin.
    @FunctionalInterface
    public interface StoredMessages {
        boolean contains(QueueId id) throws IOException;
    }

    private static final class Entry {
        int decided;
        String hash = "";
        long queue;
        long changedMillis;
        boolean busy;
        final Map<Integer, Item> open = new HashMap<>(2);

        boolean isEmpty() {
            return decided == 0 && open.values().stream().noneMatch(Item::stored);
        }
    }

    private record Item(long queue, String hash, boolean stored) {}

    private RequestKeys(Path path, LongSupplier clock, int mostKeys, FileChannel file) {
        this.path = path;
        this.clock = clock;
        this.mostKeys = mostKeys;
        this.file = file;
    }

    /// Opens the file before any delivery, and settles what a killed server has left open.
    public static RequestKeys open(Path path, StoredMessages spool, LongSupplier clock) throws IOException {
        return open(path, spool, clock, MOST_KEYS);
    }

    static RequestKeys open(Path path, StoredMessages spool, LongSupplier clock, int mostKeys) throws IOException {
        RequestKeys keys = new RequestKeys(path, clock, mostKeys, channel(path));
        try {
            keys.read();
            keys.settle(spool);
            keys.compact();
            return keys;
        } catch (IOException | RuntimeException e) {
            keys.close();
            throw e;
        }
    }

    private static FileChannel channel(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.APPEND);
        if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        }
        return channel;
    }

    // ---- reading

    private void read() throws IOException {
        int wrong = 0;
        try (BufferedReader lines = Files.newBufferedReader(path, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                wrong += line.isEmpty() || isApplied(line) ? 0 : 1;
            }
        } catch (NoSuchFileException none) {
            return;
        }
        if (wrong > 0) {
            log.warn("event=injection-keys-damaged count={} file={} next=\"repetitions of these requests are stored"
                    + " again\"", wrong, LogText.word(path.toString()));
        }
        dropOld();
    }

    private boolean isApplied(String line) {
        String[] words = line.split(" ", -1);
        try {
            switch (words[0] + words.length) {
                case "I6" -> entry(words[1], Long.parseLong(words[5])).open.put(Integer.valueOf(words[2]),
                        new Item(Long.parseLong(words[3]), words[4], false));
                case "S3" -> {
                    Entry entry = entries.get(words[1]);
                    if (entry != null) {
                        entry.open.computeIfPresent(Integer.valueOf(words[2]),
                                (_, item) -> new Item(item.queue(), item.hash(), true));
                    }
                }
                case "P6" -> {
                    Entry entry = entry(words[1], Long.parseLong(words[5]));
                    entry.decided = Integer.parseInt(words[2]);
                    entry.hash = words[3];
                    entry.queue = Long.parseLong(words[4]);
                    entry.open.keySet().removeIf(number -> number <= entry.decided);
                }
                default -> {
                    return false;
                }
            }
            return true;
        } catch (NumberFormatException damaged) {
            return false;
        }
    }

    private Entry entry(String key, long millis) {
        Entry entry = entries.computeIfAbsent(key, _ -> new Entry());
        entry.changedMillis = millis;
        return entry;
    }

    private void settle(StoredMessages spool) throws IOException {
        for (Iterator<Entry> all = entries.values().iterator(); all.hasNext();) {
            Entry entry = all.next();
            for (Map.Entry<Integer, Item> open : Map.copyOf(entry.open).entrySet()) {
                Item item = open.getValue();
                if (item.stored() || item.queue() > 0 && spool.contains(new QueueId(item.queue()))) {
                    entry.open.put(open.getKey(), new Item(item.queue(), item.hash(), true));
                } else {
                    entry.open.remove(open.getKey());
                }
            }
            if (entry.isEmpty()) {
                all.remove();
            }
        }
    }

    // ---- claims

    /// A request with a key, until it ends.
    final class Claim implements AutoCloseable {
        private final String key;
        private final Entry entry;

        private Claim(String key, Entry entry) {
            this.key = key;
            this.entry = entry;
        }

        /// All messages up to this number are decided.
        int decided() {
            synchronized (RequestKeys.this) {
                return entry.decided;
            }
        }

        /// The queue id of the only message, of a request with one.
        Optional<QueueId> queue() {
            synchronized (RequestKeys.this) {
                long id = entry.decided == 1
                        ? entry.queue
                        : Optional.ofNullable(entry.open.get(1)).map(Item::queue)
                                .orElse(0L);
                return id == 0 ? Optional.empty() : Optional.of(new QueueId(id));
            }
        }

        /// True when this message was stored by an earlier request with the key.
        ///
        /// @param hash of the body up to it
        /// @throws InjectionFault when the body is another one
        boolean isStored(int number, String hash) throws InjectionFault {
            synchronized (RequestKeys.this) {
                Item item = entry.open.get(number);
                String known = number == entry.decided
                        ? entry.hash
                        : Optional.ofNullable(item).filter(Item::stored).map(Item::hash).orElse(hash);
                if (!known.equals(hash)) {
                    throw otherBody();
                }
                return number <= entry.decided || item != null && item.stored();
            }
        }

        DurableMark mark(int number, String hash) {
            return new DurableMark() {
                @Override
                public void begins(QueueId id) throws IOException {
                    begin(key, entry, number, id, hash);
                }

                @Override
                public void isStored() {
                    stored(key, entry, number);
                }
            };
        }

        /// All messages up to this one are stored or refused.
        ///
        /// @param hash of the body up to it
        void decided(int number, String hash, Optional<QueueId> queue) throws IOException {
            synchronized (RequestKeys.this) {
                entry.decided = number;
                entry.hash = hash;
                entry.queue = queue.map(QueueId::value).orElse(0L);
                entry.open.keySet().removeIf(each -> each <= number);
                entry.changedMillis = clock.getAsLong();
                append(page(key, entry));
                if (bytes > Math.max(COMPACT_BYTES, COMPACT_FACTOR * bytesAfterCompaction)) {
                    compact();
                }
            }
        }

        /// Ends the claim durably.
        void sync() throws IOException {
            RequestKeys.this.sync();
        }

        @Override
        public void close() {
            synchronized (RequestKeys.this) {
                entry.busy = false;
                if (entry.isEmpty()) {
                    entries.remove(key);
                }
            }
        }
    }

    static InjectionFault otherBody() {
        return InjectionFault.of(422, "this idempotency key was used with another body");
    }

    /// @throws InjectionFault when another request with this key is under way
    synchronized Claim claim(String user, String name) throws InjectionFault {
        String key = hash(user + "\0" + name);
        Entry entry = entries.get(key);
        long now = clock.getAsLong();
        if (entry != null && !entry.busy && isOld(entry, now)) {
            entries.remove(key);
            entry = null;
        }
        if (entry == null) {
            entry = entry(key, now);
        }
        if (entry.busy) {
            throw InjectionFault.of(409, "another request with this idempotency key is under way");
        }
        entry.busy = true;
        dropOld();
        return new Claim(key, entry);
    }

    private boolean isOld(Entry entry, long now) {
        return now - entry.changedMillis >= KEPT_MILLIS;
    }

    private void dropOld() {
        long now = clock.getAsLong();
        Iterator<Entry> all = entries.values().iterator();
        while (all.hasNext()) {
            Entry entry = all.next();
            if (entries.size() <= mostKeys && !isOld(entry, now)) {
                return;
            }
            if (!entry.busy) {
                all.remove();
            }
        }
    }

    private synchronized void begin(String key, Entry entry, int number, QueueId id, String hash) throws IOException {
        long now = clock.getAsLong();
        append("I " + key + " " + number + " " + id.value() + " " + hash + " " + now + "\n");
        entry.changedMillis = now;
        entry.open.put(number, new Item(id.value(), hash, false));
    }

    private synchronized void stored(String key, Entry entry, int number) {
        entry.open.computeIfPresent(number, (_, item) -> new Item(item.queue(), item.hash(), true));
        try {
            append("S " + key + " " + number + "\n");
        } catch (IOException e) {
            // The message is stored. Only a kill before it is in the file again could double it.
            log.warn("event=injection-key-not-written error=\"{}\"", LogText.text(e.toString()));
        }
    }

    // ---- writing

    private void append(String line) throws IOException {
        ByteBuffer octets = ByteBuffer.wrap(((torn ? "\n" : "") + line).getBytes(StandardCharsets.US_ASCII));
        torn = true;
        int length = octets.remaining();
        while (octets.hasRemaining()) {
            file.write(octets);
        }
        torn = false;
        bytes += length;
        written = written + 1;
    }

    private static String page(String key, Entry entry) {
        return "P " + key + " " + entry.decided + " " + entry.hash + " " + entry.queue + " " + entry.changedMillis
                + "\n";
    }

    /// One sync serves all requests that wait for it.
    private void sync() throws IOException {
        long wanted = written;
        synchronized (syncing) {
            if (synced >= wanted) {
                return;
            }
            long now = written;
            FileChannel open = file;
            try {
                open.force(false);
            } catch (ClosedChannelException e) {
                if (open == file) {
                    throw e;
                }
                // The file was written again, durably.
            }
            synced = now;
        }
    }

    /// Writes the file again without what is settled. Its old form stays until the new one is durable.
    private synchronized void compact() throws IOException {
        dropOld();
        Path fresh = path.resolveSibling(FILE + ".new");
        Files.deleteIfExists(fresh);
        FileChannel before = file;
        FileChannel next = channel(fresh);
        try {
            StringBuilder text = new StringBuilder();
            long length = 0;
            for (Map.Entry<String, Entry> each : entries.entrySet()) {
                lines(each.getKey(), each.getValue(), text);
                if (text.length() > 64 << 10) {
                    length += flush(text, next);
                }
            }
            length += flush(text, next);
            next.force(true);
            move(fresh);
            file = next;
            bytes = length;
            bytesAfterCompaction = length;
            torn = false;
        } catch (IOException | RuntimeException e) {
            next.close();
            throw e;
        }
        before.close();
    }

    private static long flush(StringBuilder text, FileChannel to) throws IOException {
        ByteBuffer octets = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII));
        text.setLength(0);
        long length = octets.remaining();
        while (octets.hasRemaining()) {
            to.write(octets);
        }
        return length;
    }

    private static void lines(String key, Entry entry, StringBuilder text) {
        if (entry.decided > 0) {
            text.append(page(key, entry));
        }
        entry.open.forEach((number, item) -> {
            text.append("I ").append(key).append(' ').append(number).append(' ').append(item.queue()).append(' ')
                    .append(item.hash()).append(' ').append(entry.changedMillis).append('\n');
            if (item.stored()) {
                text.append("S ").append(key).append(' ').append(number).append('\n');
            }
        });
    }

    private void move(Path fresh) throws IOException {
        try {
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(fresh, path, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    synchronized int size() {
        return entries.size();
    }

    /// Messages of incomplete pages.
    synchronized int openItems() {
        return entries.values().stream().mapToInt(each -> each.open.size()).sum();
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }

    // ---- hashes

    static String hash(String text) {
        return hash(sha256(), text.getBytes(StandardCharsets.UTF_8));
    }

    private static String hash(MessageDigest digest, byte[] octets) {
        digest.update(octets);
        return word(digest.digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /// The hash of what the digest has taken so far; it takes more afterwards.
    static String hashSoFar(MessageDigest digest) {
        try {
            return word(((MessageDigest) digest.clone()).digest());
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String word(byte[] digest) {
        return HexFormat.of().formatHex(digest, 0, HASH_OCTETS);
    }
}
