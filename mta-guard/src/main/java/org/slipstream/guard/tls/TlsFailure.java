package org.slipstream.guard.tls;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.Optional;

/// Certificate or key cannot be used. The message is one sentence for the operator with the file
/// and its fault.
public final class TlsFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Optional<Path> file;

    public TlsFailure(String message) {
        super(message);
        file = Optional.empty();
    }

    public TlsFailure(String message, Throwable cause) {
        super(message, cause);
        file = Optional.empty();
    }

    TlsFailure(Path file, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.file = Optional.of(file);
    }

    /// The file that cannot be used; empty when the fault is elsewhere.
    public Optional<Path> file() {
        return file;
    }
}
