package org.slipstream.qmgr.settings;

import org.slipstream.core.TransportKind;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The settings of all transports: a transport's own settings, or the common ones.
///
/// @param named the kinds of the transports that the operator has named
public record TransportTable(TransportSettings common, SequencedMap<String, TransportSettings> own,
        SequencedMap<String, TransportKind> named) {
    public TransportTable {
        own = Collections.unmodifiableSequencedMap(new TreeMap<>(own));
        named = Collections.unmodifiableSequencedMap(new TreeMap<>(named));
    }

    public static TransportTable of(TransportSettings common) {
        return new TransportTable(common, new TreeMap<>(), new TreeMap<>());
    }

    public TransportTable with(String transport, TransportSettings settings) {
        TreeMap<String, TransportSettings> more = new TreeMap<>(own);
        more.put(transport, settings);
        return new TransportTable(common, more, named);
    }

    /// With a further transport.
    public TransportTable with(String transport, TransportKind kind) {
        TreeMap<String, TransportKind> more = new TreeMap<>(named);
        more.put(transport, kind);
        return new TransportTable(common, own, more);
    }

    public TransportSettings of(String transport) {
        return own.getOrDefault(transport, common);
    }

    /// Empty when there is no such transport.
    public Optional<TransportKind> kind(String transport) {
        return TransportKind.ofUsual(transport).or(() -> Optional.ofNullable(named.get(transport)));
    }

    /// The usual transports, and those that the operator has named.
    public List<String> names() {
        List<String> names = new ArrayList<>(TransportKind.usual());
        names.addAll(named.keySet());
        return names;
    }

    /// The transports of a kind.
    public List<String> names(TransportKind kind) {
        return names().stream().filter(each -> kind(each).equals(Optional.of(kind))).toList();
    }
}
