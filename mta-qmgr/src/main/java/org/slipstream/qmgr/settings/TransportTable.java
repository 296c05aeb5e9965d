package org.slipstream.qmgr.settings;

import java.util.Collections;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The settings of all transports: a transport's own settings, or the common ones.
public record TransportTable(TransportSettings common, SequencedMap<String, TransportSettings> own) {
    public TransportTable {
        own = Collections.unmodifiableSequencedMap(new TreeMap<>(own));
    }

    public static TransportTable of(TransportSettings common) {
        return new TransportTable(common, new TreeMap<>());
    }

    public TransportTable with(String transport, TransportSettings settings) {
        TreeMap<String, TransportSettings> more = new TreeMap<>(own);
        more.put(transport, settings);
        return new TransportTable(common, more);
    }

    public TransportSettings of(String transport) {
        return own.getOrDefault(transport, common);
    }
}
