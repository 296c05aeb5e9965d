package org.slipstream.qmgr.place;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;
import org.slipstream.qmgr.place.WorkerBudget.Shares;

import java.time.Duration;

/// How an SMTP delivery finds its connection: the section `[placement]`. [#rules] completes it to
/// the rules of a transport.
///
/// @param maxMessageConcurrency connections of one message however many others wait
/// @param scaleMaxConcurrency times the free connections
/// @param probeConcurrency connections of all address probes together
/// @param probeScale times the free connections
/// @param connectionDepth unanswered deliveries on a connection until round trips are measured; not
///     above the next
/// @param overflow times the depth when no other connection may be opened
/// @param crowded pause of a host that refused one more
/// @param closedMemory how long it is remembered that a host worked
/// @param habitMemory how long it is remembered that a host breaks under pipelining
/// @param returns of one delivery from breaking connections
/// @param unprovenPercent of the connections, for hosts that are not known to work
/// @param failedPercent of the connections, for hosts that failed the last time; not above the
///     former
/// @param trackClosed closed hosts are a class of their own
/// @param retryLast hosts that failed and are due are a class of their own
/// @param greetingYield wait for a greeting after which a connection makes room when connections
///     are short
@SettingsSection("placement")
public record PlacementSettings(
        @Setting(value = "5", min = "1", max = "100000", expert = true,
                doc = "Connections that one message may keep busy, however many other messages"
                        + " wait.") int maxMessageConcurrency,
        @Setting(value = "10", max = "100000", expert = true,
                doc = "A message may have more connections while it has fewer than this number times the free"
                        + " connections.") int scaleMaxConcurrency,
        @Setting(value = "5", min = "1", max = "100000", expert = true,
                doc = "Connections that address probes may keep busy, all of them together"
                        + " (`relay.verify`, `mta verify`). A gateway for many domains needs"
                        + " more.") int probeConcurrency,
        @Setting(value = "0", max = "100000", expert = true,
                doc = "Address probes may have more connections while they have fewer than this number times the"
                        + " free connections.") int probeScale,
        @Setting(value = "2", min = "1", max = "1000", expert = true,
                doc = "Unanswered deliveries on one connection before another one is opened, until round trips have"
                        + " been measured.") int connectionDepth,
        @Setting(value = "50", min = "1", max = "1000", expert = true,
                doc = "Most unanswered deliveries on one connection, to hosts that offer PIPELINING. 1: one at a"
                        + " time.") int mostConnectionDepth,
        @Setting(value = "1", min = "1", max = "1000", expert = true,
                doc = "This number times its depth are queued on a connection when no other one may be opened. With"
                        + " 1 they wait where a more urgent message can still pass them.") int overflow,
        @Setting(value = "2", max = "10000", expert = true,
                doc = "Idle connections that are kept to one host. More are kept for a fifth of a second, until it"
                        + " is clear that they are not needed.") int idlePerHost,
        @Setting(value = "300s", min = "1ms", expert = true,
                doc = "A connection older than this takes no further message.") Duration connectionAge,
        @Setting(value = "60s", expert = true,
                doc = "How long no further connection is tried at a host that refused one while"
                        + " others worked.") Duration crowded,
        @Setting(value = "1h", expert = true,
                doc = "How long it is remembered which host of several worked last.") Duration closedMemory,
        @Setting(value = "1d", expert = true,
                doc = "How long it is remembered that a host closes connections under"
                        + " pipelining.") Duration habitMemory,
        @Setting(value = "3", min = "1", max = "1000", expert = true,
                doc = "How often in a row a delivery may be the first on a breaking connection before it is"
                        + " deferred.") int returns,
        @Setting(value = "75", min = "1", max = "100", expert = true,
                doc = "Percentage of the connections that may wait for the greeting of hosts that are not known to"
                        + " work, one for each host. The rest is for hosts that have greeted within"
                        + " `placement.closed-memory`.") int unprovenPercent,
        @Setting(value = "25", min = "1", max = "100", expert = true,
                doc = "Percentage of the connections, within `placement.unproven-percent`, for hosts that failed the"
                        + " last time.") int failedPercent,
        @Setting(value = "true", expert = true,
                doc = "A new connection goes first to a host of which nothing is known, then to the host that worked"
                        + " and was used longest ago. `false`: both are one class, chosen at"
                        + " random.") boolean trackClosed,
        @Setting(value = "true", expert = true,
                doc = "A host that failed and may be tried again is the last choice. `false`: it counts as a host of"
                        + " which nothing is known.") boolean retryLast,
        @Setting(value = "30s", min = "1ms", expert = true,
                doc = "A connection that has waited this long for a greeting makes room when connections are short."
                        + " Otherwise `smtp-client.greeting-timeout` decides.") Duration greetingYield) {

    public PlacementSettings {
        connectionDepth = Math.min(connectionDepth, mostConnectionDepth);
        failedPercent = Math.min(failedPercent, unprovenPercent);
    }

    public static PlacementSettings defaults() {
        return SettingsRecords.defaults(PlacementSettings.class);
    }

    /// The rules of SMTP.
    ///
    /// @param workers connections in all
    /// @param perHost connections to one host
    /// @param idle how long an unused connection is kept
    /// @param retry how long a broken host is left out
    /// @param told how long after that operators are told that it failed
    public PlaceRules rules(int workers, int perHost, Duration idle, Duration retry, Duration told) {
        return new PlaceRules(workers, perHost, new Shares(maxMessageConcurrency, scaleMaxConcurrency),
                new Shares(probeConcurrency, probeScale),
                new PlaceRules.Depth(connectionDepth, mostConnectionDepth, overflow),
                new PlaceRules.Idle(idlePerHost, idle, connectionAge),
                new PlaceRules.RecordLifetimes(retry, told, crowded, closedMemory, habitMemory, trackClosed, retryLast),
                new PlaceRules.Unproven(unprovenPercent, failedPercent, greetingYield), returns);
    }
}
