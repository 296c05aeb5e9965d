package org.slipstream.server.maildrop;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
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

    /// Returns when the message is on disk and the server may take it. The name itself is not synced:
    /// a user may not open the folder.
    public void finish() throws IOException {
        file.write(DropFormat.trailer(bytes, sum));
        file.flush();
        channel.force(true);
        channel.close();
        Files.move(unfinished, finished, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            channel.close();
            Files.deleteIfExists(unfinished);
        }
    }
}
