package org.slipstream.local.maildir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/// The disk operations of a delivery, step by step, so that tests can make each step fail.
interface Disk {
    /// Creates one folder with access for its owner only. An existing folder stays as it is.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when a file of that name exists
    void makeFolder(Path folder) throws IOException;

    /// Creates an empty file with access for its owner only; an existing file is truncated.
    Output create(Path file) throws IOException;

    /// Atomic within one file system.
    void rename(Path from, Path to) throws IOException;

    /// Makes the names in this folder survive a power cut.
    void forceFolder(Path folder) throws IOException;

    void delete(Path file) throws IOException;

    abstract class Output extends OutputStream {
        /// Makes the content survive a power cut.
        abstract void force() throws IOException;
    }
}
