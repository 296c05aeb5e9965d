package org.slipstream.spool.index;

import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;

/// One more name for a file in H2's file systems: `again:7:file:/path` is `file:/path`. See
/// [EmbeddedDatabase]. The class is public because H2 creates its objects.
public final class ReopenedFile extends FilePathWrapper {
    private static final String SCHEME = "again";

    static String name(int reopening, String name) {
        return SCHEME + ":" + reopening + ":" + name;
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    protected String getPrefix() {
        return name.substring(0, afterNumber(name));
    }

    @Override
    protected FilePath unwrap(String path) {
        return FilePath.get(path.substring(afterNumber(path)));
    }

    private static int afterNumber(String path) {
        return path.indexOf(':', SCHEME.length() + 1) + 1;
    }
}
