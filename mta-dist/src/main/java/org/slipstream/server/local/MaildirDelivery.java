package org.slipstream.server.local;

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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// One message into one mailbox, so that it is there whole or not at all, whenever the power goes.
///
/// **Maildir** (D. J. Bernstein, https://cr.yp.to/proto/maildir.html) needs no locks because nobody ever writes into a file
/// that a reader may see. A message is written to `tmp/`, where readers do not look; forced to disk; renamed into `new/`, which
/// happens at once or not at all; and then the *name* is forced, because a rename that only happened in memory is gone
/// after a power cut, and the sender has been told by then. Readers move what they have seen from `new/` to `cur/`.
///
/// ```
/// tmp/N   write · force        a crash until here leaves a file that nobody reads; it is swept away after 36 hours
/// new/N   rename
/// new/    force                only now is the message delivered
/// ```
///
/// **The name** must be unique on this host for all time; what is in it is nobody's business but ours. Usually that takes
/// clock, process number and a counter. Ours is made of what the queue already promises to be unique:
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
/// So the second attempt at the same delivery has the same name. When a crash came between the rename and the note of it
/// in the queue index, the second attempt finds the file in `new/` and has nothing left to do. A reader that was
/// faster has moved the file to `cur/` under a longer name; searching there would cost a listing of the whole mailbox for each
/// delivery, so in that case, within seconds after a crash, the message comes twice. The process number, which
/// many programs put into the name, is left out on purpose: it would be another one after the crash.
///
/// **The content** is what came in, byte for byte, CRLF included, below two lines of our own. Unix programs mostly keep mail with
/// LF. Keeping what came in is the literal reading of "byte-identical", spares a conversion that cannot be undone for a bare LF, keeps the
/// size the same on the wire and on disk (Dovecot knows both kinds), and keeps signatures verifiable with no knowledge of the
/// store.
///
/// Many threads at once; nobody may interrupt them.
public final class MaildirDelivery {
    private static final int BUFFER_BYTES = 64 << 10;

    private static final List<String> PARTS = List.of("tmp", "new", "cur");

    private final Path root;
    private final String host;
    private final Disk disk;
    /// Mailboxes whose folders this process knows to be on disk.
    private final Set<Path> settled = ConcurrentHashMap.newKeySet();

    /// @param root holds `<domain>/<local part>/{tmp,new,cur}`; made when missing
    /// @param hostname ours, as it goes into file names
    public MaildirDelivery(Path root, String hostname) {
        this(root, hostname, new RealDisk());
    }

    MaildirDelivery(Path root, String hostname, Disk disk) {
        this.root = root.toAbsolutePath();
        this.host = hostname.replace("/", "\\057").replace(":", "\\072");
        this.disk = disk;
    }

    /// Returns when the message is in the mailbox and would survive a power cut.
    ///
    /// @param mailbox in lower case; made when it is not there
    /// @param number of the recipient in its envelope
    /// @param top lines to put in front of the letter, each with CRLF
    /// @throws IOException local trouble; nothing is in the mailbox
    public void deliver(Address mailbox, QueueId id, int number, byte[] top, Content content) throws IOException {
        Path folder = folder(mailbox);
        long sizeBytes = top.length + content.sizeBytes();
        String name = fileName(id, number, sizeBytes);
        try {
            deliver(folder, name, sizeBytes, top, content);
        } catch (NoSuchFileException removed) {
            // An operator may remove a mailbox while we run; then what we know of it is no longer true.
            settled.remove(folder);
            deliver(folder, name, sizeBytes, top, content);
        }
    }

    /// No mailbox at all can be written: the disk is full, read-only, or gone.
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
        Path finished = folder.resolve("new").resolve(name);
        settle(folder);
        if (!isDelivered(finished, sizeBytes)) {
            write(unfinished, top, content);
            disk.rename(unfinished, finished);
        }
        disk.forceFolder(finished.getParent());
    }

    /// Where the mail of this mailbox lies.
    Path folder(Address mailbox) {
        return root.resolve(FolderName.of(mailbox.domainKey())).resolve(FolderName.of(mailbox.localPart()));
    }

    private String fileName(QueueId id, int number, long sizeBytes) {
        long bornMillis = id.value() >> 10;
        long micros = bornMillis % 1_000 * 1_000 + (id.value() & 0x3ff) % 1_000;
        return bornMillis / 1_000 + ".M" + micros + "Q" + id + "_" + number + "." + host + ",S=" + sizeBytes;
    }

    // The content was forced before the name appeared, so a name with the right size is a whole message.
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
            throw new IOException("the letter has " + copied + " bytes and should have " + sizeBytes);
        }
    }

    // A full disk should not be kept full by what failed for it.
    private void deleteQuietly(Path unfinished, IOException because) {
        try {
            disk.delete(unfinished);
        } catch (IOException e) {
            because.addSuppressed(e);
        }
    }

    /// The folders of a mailbox, and their names on disk in every folder above. Once for each mailbox and process: a folder that is
    /// there may have been made just before a crash, and nobody knows whether its name has reached the disk.
    private void settle(Path folder) throws IOException {
        if (settled.contains(folder)) {
            return;
        }
        makeWithAncestors(root);
        makeIn(root, folder.getParent());
        makeIn(folder.getParent(), folder);
        for (String part : PARTS) {
            disk.makeFolder(folder.resolve(part));
        }
        disk.forceFolder(folder);
        settled.add(folder);
    }

    private void makeWithAncestors(Path folder) throws IOException {
        Path above = folder.getParent();
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
