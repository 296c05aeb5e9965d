package org.slipstream.bench.load.abuse;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/// Files that programs and users of this machine put into the maildrop of a server.
///
/// Files of many users need the rights of root, which makes them and gives them away.
final class Drops {
    private static final String HEAD = "slipstream-maildrop 1\nsender=%s\nname=\nrecipient=%s\nreturn=UNSPECIFIED\n"
            + "body=EIGHT_BIT_MIME\n\n";
    private static final long SPARSE_BYTES = 2L << 40;
    private static final int LONGEST_NAME = 255;
    private static final int FIRST_USER = 20_000;
    private static final int MOST_FOLDERS = 2_000;
    private static final AtomicLong NEXT = new AtomicLong();

    private Drops() {}

    /// A whole message, under its name at once as `sendmail` does it. It belongs to the user who runs
    /// this program.
    static void put(Path home, String sender, String recipient, String content) throws IOException {
        byte[] octets = (HEAD.formatted(sender, recipient) + content).getBytes(StandardCharsets.US_ASCII);
        CRC32C sum = new CRC32C();
        sum.update(octets);
        String trailer = "end %016x %08x\n".formatted(octets.length, sum.getValue());
        Path unfinished = home.resolve("maildrop/tmp.honest");
        Files.writeString(unfinished, new String(octets, StandardCharsets.US_ASCII) + trailer);
        Files.move(unfinished, home.resolve("maildrop/new." + NEXT.incrementAndGet()), StandardCopyOption.ATOMIC_MOVE);
    }

    /// A file that begins as a message, ends after 2 TiB of zeros and takes no place on the disk. Its
    /// name is the longest possible. A folder stands beside it while there are not many of them.
    static void putSparse(Path home, int user) throws IOException {
        long number = NEXT.incrementAndGet();
        Path unfinished = home.resolve("maildrop/tmp." + number);
        try (RandomAccessFile file = new RandomAccessFile(unfinished.toFile(), "rw")) {
            file.writeBytes(HEAD.formatted("user" + user, "a@here.example"));
            file.setLength(SPARSE_BYTES);
        }
        Files.setAttribute(unfinished, "unix:uid", FIRST_USER + user);
        String name = "new." + number + ".";
        Files.move(unfinished, home.resolve("maildrop/" + name + "x".repeat(LONGEST_NAME - name.length())),
                StandardCopyOption.ATOMIC_MOVE);
        if (number < MOST_FOLDERS) {
            Files.createDirectory(home.resolve("maildrop/new.folder" + number));
        }
    }
}
