package org.slipstream.local.maildrop;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/// Writes one message into the maildrop. Bytes written here are the content. The file gets the name
/// under which the server finds it after its last byte is on disk; closing it without [#finish]
/// leaves nothing behind.
public final class DropFileWriter extends OutputStream {
    private final Path unfinished;
    private final Path finished;
    private final FileChannel channel;
    private final OutputStream file;
    private final CRC32C sum = new CRC32C();
    private long bytes;
    private boolean whole;

    DropFileWriter(Path unfinished, Path finished, DropEnvelope envelope) throws IOException {
        this.unfinished = unfinished;
        this.finished = finished;
        channel = FileChannel.open(unfinished, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        file = new BufferedOutputStream(Channels.newOutputStream(channel), 64 * 1024);
        write(DropFormat.head(envelope));
    }

    @Override
    public void write(int octet) throws IOException {
        write(new byte[]{(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] block, int offset, int length) throws IOException {
        file.write(block, offset, length);
        sum.update(block, offset, length);
        bytes += length;
    }

    /// Returns when the message and its name are on disk and the server may take it.
    ///
    /// A user may not open the folder, so the name cannot be synced there. The second sync of the file
    /// does it: ext4, XFS and btrfs write a new name and the inode that it names in one transaction.
    public void finish() throws IOException {
        file.write(DropFormat.trailer(bytes, sum));
        file.flush();
        channel.force(true);
        try {
            Files.move(unfinished, finished, StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException gone) {
            // A server that starts gives a whole file its name. Without that name the file may be lost,
            // and a second copy is better than none.
            if (!Files.exists(finished)) {
                throw new IOException("the file of the message has vanished: " + unfinished, gone);
            }
        }
        whole = true;
        channel.force(true);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (!whole) {
            Files.deleteIfExists(unfinished);
        }
    }
}
