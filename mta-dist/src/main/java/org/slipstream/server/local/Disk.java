package org.slipstream.server.local;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/// What a delivery does to the disk, step by step, so that tests can let each step fail.
interface Disk {
    /// One folder, for its owner alone. What is there already is left as it is.
    ///
    /// @throws java.nio.file.FileAlreadyExistsException when it is there, but no folder
    void makeFolder(Path folder) throws IOException;

    /// A file for its owner alone, empty whatever was there.
    Output create(Path file) throws IOException;

    /// At once or not at all, within one file system.
    void rename(Path from, Path to) throws IOException;

    /// Returns when the names in this folder would survive a power cut.
    void forceFolder(Path folder) throws IOException;

    void delete(Path file) throws IOException;

    abstract class Output extends OutputStream {
        /// Returns when the content would survive a power cut.
        abstract void force() throws IOException;
    }
}
