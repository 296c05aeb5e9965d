package org.slipstream.core;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// The way in which a transport delivers. Each server has a transport of each kind, named like it, but for [#PIPE]: a
/// program has to be named first.
public enum TransportKind {
    SMTP, LMTP, LOCAL, DISCARD, PIPE;

    /// As settings and orders write it.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<TransportKind> of(String word) {
        return Stream.of(values()).filter(each -> each.word().equals(word)).findFirst();
    }

    /// The kind of the transport of this name that each server has.
    public static Optional<TransportKind> ofUsual(String name) {
        return of(name).filter(kind -> kind != PIPE);
    }

    /// The names of the transports that each server has.
    public static List<String> usual() {
        return Stream.of(values()).filter(kind -> kind != PIPE).map(TransportKind::word).toList();
    }
}
