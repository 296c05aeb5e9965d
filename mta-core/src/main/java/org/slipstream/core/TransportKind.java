package org.slipstream.core;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// The way in which a transport delivers. The transport that each server has is named like its kind.
public enum TransportKind {
    SMTP, LMTP, LOCAL, DISCARD;

    /// As settings and orders write it.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<TransportKind> of(String word) {
        return Stream.of(values()).filter(each -> each.word().equals(word)).findFirst();
    }

    public static List<String> words() {
        return Stream.of(values()).map(TransportKind::word).toList();
    }
}
