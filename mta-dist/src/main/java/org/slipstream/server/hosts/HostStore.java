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
import java.util.Optional;
import java.util.stream.Stream;

/// Keeps host records in the queue index, so that after a restart dead hosts are not tried again at
/// once and suspensions stay. The records of destinations stand beside them, with the number of their
/// shard: `2/smtp/far.example`.
///
/// @param spool while its disk hangs, only suspensions wait for it
public record HostStore(Spool spool) implements HostMemory {
    private static final Logger log = LoggerFactory.getLogger(HostStore.class);

    @Override
    public void changed(List<HostRow.Change> changes) {
        for (HostRow.Change change : changes) {
            HostRow.HostRowKind about = kind(change);
            if (about == HostRow.HostRowKind.CROWDED
                    || spool.isGivenUp() && about != HostRow.HostRowKind.SUSPENDED) {
                continue;
            }
            switch (change) {
                case HostRow.Change.Put(HostRow row) -> {
                    if (!about.isOfDestination()) {
                        log.info("event=host-recorded host={} name={} kind={} failures={} reason=\"{}\"", row.host(),
                                LogText.word(row.name()), row.kind(), row.count(), LogText.text(row.text()));
                    }
                    spool.keepHost(record(row));
                }
                case HostRow.Change.Gone(String host, HostRow.HostRowKind kind) -> spool.forgetHost(host, kind.name());
            }
        }
    }

    public static HostRow.HostRowKind kind(HostRow.Change change) {
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
    ///
    /// @param shard that starts: the records of destinations name the others
    public static List<HostRow> rows(List<HostRecord> records, int shard) {
        return records.stream().filter(host -> isKnown(host.kind()))
                .map(host -> new HostRow(host.host(), host.name(), HostRow.HostRowKind.valueOf(host.kind()),
                        host.sinceMillis(), host.untilMillis(), host.failures(), host.words(), host.author()))
                .flatMap(row -> row.kind().isOfDestination() ? seenFrom(shard, row).stream() : Stream.of(row))
                .toList();
    }

    private static Optional<HostRow> seenFrom(int shard, HostRow row) {
        int slash = row.host().indexOf('/');
        if (slash < 1) {
            return Optional.empty();
        }
        String number = row.host().substring(0, slash);
        return Optional.of(new HostRow(row.host().substring(slash + 1),
                number.equals(String.valueOf(shard)) ? "" : number, row.kind(), row.sinceMillis(), row.untilMillis(),
                row.count(), row.text(), row.author()));
    }

    /// The change with the number of the shard, if it is about a destination.
    public static HostRow.Change ofShard(int shard, HostRow.Change change) {
        if (!kind(change).isOfDestination()) {
            return change;
        }
        return switch (change) {
            case HostRow.Change.Put(HostRow row) ->
                new HostRow.Change.Put(new HostRow(shard + "/" + row.host(), row.name(), row.kind(),
                        row.sinceMillis(), row.untilMillis(), row.count(), row.text(), row.author()));
            case HostRow.Change.Gone(String host, HostRow.HostRowKind kind) ->
                new HostRow.Change.Gone(shard + "/" + host, kind);
        };
    }

    /// Forgets the records of destinations that have expired. Those of shards that are gone have no other end.
    public void forgetExpired(List<HostRecord> records, long nowMillis) {
        records.stream().filter(host -> isKnown(host.kind()) && host.untilMillis() <= nowMillis
                && HostRow.HostRowKind.valueOf(host.kind()).isOfDestination())
                .forEach(host -> spool.forgetHost(host.host(), host.kind()));
    }

    private static boolean isKnown(String kind) {
        return Arrays.stream(HostRow.HostRowKind.values()).anyMatch(each -> each.name().equals(kind));
    }
}
