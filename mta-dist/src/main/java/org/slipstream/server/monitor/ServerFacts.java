package org.slipstream.server.monitor;

import org.slipstream.server.operate.AllShardsOperations;
import org.slipstream.server.shaping.ShapingControl;
import org.slipstream.server.shard.ClusterFigures;
import org.slipstream.server.shard.Shard;
import org.slipstream.server.source.SourceControl;
import org.slipstream.server.view.MailCounters;
import org.slipstream.smtpin.SmtpListener.ListenerFigures;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// The parts of the server that the monitor reads.
///
/// @param queue all shards, as operators see them
/// @param shards those that are open
/// @param traffic counters of mail
/// @param verdicts counters of verdicts about senders
/// @param listeners the open ports by name
/// @param failedLogins since the start
/// @param sources of outgoing connections
/// @param stops whether clients are refused because the server stops
/// @param shaping the rules from replies
/// @param cluster empty for a server that is alone
public record ServerFacts(AllShardsOperations queue, Supplier<List<Shard>> shards, MailCounters traffic,
        VerdictCounts verdicts, Supplier<Map<String, ListenerFigures>> listeners, LongSupplier failedLogins,
        SourceControl sources, BooleanSupplier stops, ShapingControl shaping,
        Supplier<Optional<ClusterFigures>> cluster) {}
