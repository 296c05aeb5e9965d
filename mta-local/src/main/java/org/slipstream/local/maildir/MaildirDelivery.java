package org.slipstream.local.maildir;

import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Delivers one message into one mailbox, so that after a power failure it is there completely or
/// not at all.
///
/// **Maildir** (D. J. Bernstein, https://cr.yp.to/proto/maildir.html) needs no locks cause no
/// program ever writes into a file that a reader may see. A message is written to `tmp/`, where
/// readers do not look; synced to disk; renamed into `new/`, which is atomic; and then the *name*
/// is synced, cause a rename that is only in memory is lost in a power cut after the sender got a
/// 250. Readers move what they have seen from `new/` to `cur/`.
///
/// ```
/// tmp/N   write · force        a crash until here leaves a file that is never read; it is deleted after 36 hours
/// new/N   rename
/// new/    force                only now is the message delivered
/// ```
///
/// **The name** must be unique on this host for all time; its parts have no meaning for readers.
/// Usually it is made of clock, process number and a counter. Here it is made of values that the
/// queue already guarantees to be unique:
///
/// ```
/// 1795269600.M123456Q1r5q8g0000a_3.mail.example.org,S=4711
/// │          │      │           │ │                └ size of the file, which Dovecot and quota counters read here
/// │          │      │           │ └ host, with / and : written as \057 and \072
/// │          │      │           └ number of the recipient in its envelope
/// │          │      └ queue id
/// └──────────┴ when the message came in: seconds, microseconds (their last three digits are the queue id's own)
/// ```
///
/// So the second attempt at the same delivery has the same name. After a crash between the rename
/// and its record in the queue index, the second attempt finds the file in `new/` and is done. A
/// reader may already have moved the file to `cur/` under a longer name. Searching there would cost
/// a listing of the whole mailbox for each delivery, so in that case, within seconds after a crash,
/// the message is delivered twice. The process number, which many programs put into the name, is
/// left out: it would be different after the crash.
///
/// **The content** is what arrived, byte for byte, CRLF included, below two added lines. Unix
/// programs mostly keep mail with LF. Storing the original bytes is the literal reading of
/// "byte-identical", avoids a conversion that cannot be undone for a bare LF, keeps the size the
/// same on the wire and on disk (Dovecot knows both kinds), and keeps signatures verifiable with no
/// knowledge of the store.
///
/// Used by many threads at once, which must not be interrupted.
public final class MaildirDelivery {
    private static final int BUFFER_BYTES = 64 << 10;

    private static final List<String> PARTS = List.of("tmp", "new", "cur");

    /// A folder of a mailbox as Maildir++ names it; its mark is an empty file.
    static final String JUNK = ".Junk";
    private static final String FOLDER_MARK = "maildirfolder";

    private final Path root;
    private final String host;
    private final Disk disk;
    /// Mailboxes whose folders this process has made durable.
    private final Set<Path> settled = ConcurrentHashMap.newKeySet();

    /// @param root holds `<domain>/<local part>/{tmp,new,cur}`; created when missing
    /// @param hostname ours, for the file names
    public MaildirDelivery(Path root, String hostname) {
        this(root, hostname, new RealDisk());
    }

    MaildirDelivery(Path root, String hostname, Disk disk) {
        this.root = root.toAbsolutePath();
        this.host = hostname.replace("/", "\\057").replace(":", "\\072");
        this.disk = disk;
    }

    /// Returns when the message is in the mailbox and survives a power cut.
    ///
    /// @param mailbox in lower case; created when missing
    /// @param junk into its folder for spam
    /// @param number of the recipient in its envelope
    /// @param top lines to put before the message, each with CRLF
    /// @throws IOException on a local failure; nothing is in the mailbox
    public void deliver(Address mailbox, boolean junk, QueueId id, int number, byte[] top, Content content)
            throws IOException {
        Path folder = junk ? folder(mailbox).resolve(JUNK) : folder(mailbox);
        long sizeBytes = top.length + content.sizeBytes();
        String name = fileName(id, number, sizeBytes);
        try {
            deliver(folder, name, sizeBytes, top, content);
        } catch (NoSuchFileException removed) {
            // An operator may have removed the mailbox while the server runs.
            settled.remove(folder);
            deliver(folder, name, sizeBytes, top, content);
        }
    }

    /// True when no mailbox at all can be written: the disk is full, read-only, or gone.
    boolean isOutOfOrder() {
        Path probe = root.resolve(".probe");
        try {
            makeWithAncestors(root);
            try (Disk.Output out = disk.create(probe)) {
                out.write(0);
                out.force();
            }
            disk.delete(probe);
            return false;
        } catch (IOException gone) {
            return true;
        }
    }

    private void deliver(Path folder, String name, long sizeBytes, byte[] top, Content content) throws IOException {
        Path unfinished = folder.resolve("tmp").resolve(name);
        Path arrived = folder.resolve("new");
        Path finished = arrived.resolve(name);
        settle(folder);
        if (!isDelivered(finished, sizeBytes)) {
            write(unfinished, top, content);
            disk.rename(unfinished, finished);
        }
        disk.forceFolder(arrived);
    }

    /// The folder of a mailbox.
    Path folder(Address mailbox) {
        return root.resolve(FolderName.of(mailbox.domainKey())).resolve(FolderName.of(mailbox.localPart()));
    }

    private String fileName(QueueId id, int number, long sizeBytes) {
        long bornMillis = id.createdMillis();
        long micros = bornMillis % 1_000 * 1_000 + (id.value() & 0x3ff) % 1_000;
        return bornMillis / 1_000 + ".M" + micros + "Q" + id + "_" + number + "." + host + ",S=" + sizeBytes;
    }

    // The content was synced before the name appeared, so a name with the right size is a complete
    // message.
    private static boolean isDelivered(Path finished, long sizeBytes) throws IOException {
        try {
            return Files.size(finished) == sizeBytes;
        } catch (NoSuchFileException notYet) {
            return false;
        }
    }

    private void write(Path unfinished, byte[] top, Content content) throws IOException {
        try (InputStream in = content.open()) {
            try (Disk.Output out = disk.create(unfinished)) {
                out.write(top);
                copy(in, out, content.sizeBytes());
                out.force();
            } catch (IOException e) {
                deleteQuietly(unfinished, e);
                throw e;
            }
        }
    }

    private static void copy(InputStream in, OutputStream out, long sizeBytes) throws IOException {
        byte[] buffer = new byte[Math.clamp(sizeBytes, 1, BUFFER_BYTES)];
        long copied = 0;
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            out.write(buffer, 0, n);
            copied += n;
        }
        if (copied != sizeBytes) {
            throw new IOException("the message has " + copied + " bytes, expected are " + sizeBytes);
        }
    }

    // A file that failed on a full disk must not keep the disk full.
    private void deleteQuietly(Path unfinished, IOException cause) {
        try {
            disk.delete(unfinished);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /// Creates the folders of a mailbox and makes their names durable in every parent folder. Once
    /// per mailbox and process: an existing folder may have been created just before a crash, so
    /// its name may not be on disk yet.
    private void settle(Path folder) throws IOException {
        if (settled.contains(folder)) {
            return;
        }
        Path above = Objects.requireNonNull(folder.getParent());
        if (folder.endsWith(JUNK)) {
            settle(above);
        } else {
            makeWithAncestors(root);
            makeIn(root, above);
        }
        makeIn(above, folder);
        for (String part : PARTS) {
            disk.makeFolder(folder.resolve(part));
        }
        if (folder.endsWith(JUNK)) {
            disk.create(folder.resolve(FOLDER_MARK)).close();
        }
        disk.forceFolder(folder);
        settled.add(folder);
    }

    private void makeWithAncestors(Path folder) throws IOException {
        Path above = folder.getParent();
        if (above == null) {
            // The root of the file system.
            return;
        }
        if (!Files.exists(above)) {
            makeWithAncestors(above);
        }
        makeIn(above, folder);
    }

    private void makeIn(Path above, Path folder) throws IOException {
        disk.makeFolder(folder);
        disk.forceFolder(above);
    }
}
