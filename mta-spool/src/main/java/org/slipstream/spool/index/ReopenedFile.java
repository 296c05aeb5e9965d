package org.slipstream.spool.index;

import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;

/// One more name for a file, as H2 knows files: `again:7:file:/path` is `file:/path`. See
/// [EmbeddedDatabase]. H2 makes the objects of this class, which is why the class is public.
@SuppressWarnings("exports") // Only H2 uses this class, and it reads the class path.
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
