package org.slipstream.server.hosts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.HostRecord;

import java.util.Arrays;
import java.util.List;

/// Keeps host records in the queue index, so that after a restart dead hosts are not tried again at
/// once and suspensions stay.
///
/// @param spool while its disk hangs, only suspensions wait for it
public record HostStore(Spool spool) implements HostMemory {
    private static final Logger log = LoggerFactory.getLogger(HostStore.class);

    @Override
    public void changed(List<HostRow.Change> changes) {
        for (HostRow.Change change : changes) {
            if (spool.isGivenUp() && kind(change) != HostRow.HostRowKind.SUSPENDED) {
                continue;
            }
            switch (change) {
                case HostRow.Change.Put(HostRow row) -> {
                    log.info("event=host-recorded host={} name={} kind={} failures={} reason=\"{}\"", row.host(),
                            LogText.word(row.name()), row.kind(), row.count(), LogText.text(row.text()));
                    spool.keepHost(record(row));
                }
                case HostRow.Change.Gone(String host, HostRow.HostRowKind kind) -> spool.forgetHost(host, kind.name());
            }
        }
    }

    private static HostRow.HostRowKind kind(HostRow.Change change) {
        return switch (change) {
            case HostRow.Change.Put(HostRow row) -> row.kind();
            case HostRow.Change.Gone(String _, HostRow.HostRowKind kind) -> kind;
        };
    }

    public static HostRecord record(HostRow row) {
        return new HostRecord(row.host(), row.kind().name(), row.name(), row.sinceMillis(), row.untilMillis(),
                row.count(), row.text(), row.author());
    }

    /// A record of unknown kind is skipped: a newer program wrote it.
    public static List<HostRow> rows(List<HostRecord> records) {
        return records.stream().filter(host -> isKnown(host.kind()))
                .map(host -> new HostRow(host.host(), host.name(), HostRow.HostRowKind.valueOf(host.kind()),
                        host.sinceMillis(), host.untilMillis(), host.failures(), host.words(), host.author()))
                .toList();
    }

    private static boolean isKnown(String kind) {
        return Arrays.stream(HostRow.HostRowKind.values()).anyMatch(each -> each.name().equals(kind));
    }
}
