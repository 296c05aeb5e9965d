package org.slipstream.spool.log;

import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class OwnFilesTest extends LargeContentsContract {
    @TempDir
    Path spool;

    @Override
    LargeContents contents() throws IOException {
        Files.createDirectories(spool.resolve("large"));
        Files.createDirectories(spool.resolve("corrupt"));
        return new OwnFiles(spool);
    }
}
