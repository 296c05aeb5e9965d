package org.slipstream.spool.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Syncs directories. The name of a new file is on disk only after its directory was synced; the
/// file's own sync does not cover it.
public final class Directories {
    private Directories() {}

    public static void sync(Path directory) throws IOException {
        // Where directories cannot be opened (Windows), the file system journals names.
        if (!directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
