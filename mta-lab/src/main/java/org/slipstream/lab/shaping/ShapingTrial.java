package org.slipstream.lab.shaping;

import org.slipstream.core.ProviderTable;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.journal.RecordedTraffic;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.shaping.ShapingRules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Rules played over recorded replies: the same mail twice through the queue manager of the server, in
/// simulated time, without and with the rules.
///
/// A run goes on behind the interval as long as the interval was, and at least an hour, so that mail
/// which the rules held back is seen to go or to stay.
public final class ShapingTrial {
    private static final long MOST_EVENTS = 50_000_000;
    private static final long HOUR = 3_600_000;
    private static final int BUCKETS = 240;

    private ShapingTrial() {}

    /// The recorded hours, and the settings under which they are played.
    ///
    /// @param fromMillis since 1970
    /// @param settings those of the recording, unless others are tried as well
    public record TrialRequest(RecordedTraffic traffic, long fromMillis, long toMillis, QmgrConfig settings,
            PlaceRules smtp, ShapingRules rules, ProviderTable providers) {}

    /// Both runs.
    ///
    /// @param bucketMillis the time of one value of the curves
    public record TrialReport(List<String> assumptions, List<String> remarks, long fromMillis, long bucketMillis,
            TrialCurves without, TrialCurves with, List<TriggeredRule> rules) {
        public TrialReport {
            assumptions = List.copyOf(assumptions);
            remarks = List.copyOf(remarks);
            rules = List.copyOf(rules);
        }
    }

    /// The curves and sums of one run.
    ///
    /// @param deliveries recipients in each bucket
    /// @param refusals of connections and deliveries in each bucket
    /// @param ages of the oldest message at the end of each bucket, in seconds
    /// @param waiting messages that were still in the queue at the end
    public record TrialCurves(List<Long> deliveries, List<Long> refusals, List<Long> ages, long delivered,
            long refused, long failed, int waiting, long oldestSeconds, long endMillis) {
        public TrialCurves {
            deliveries = List.copyOf(deliveries);
            refusals = List.copyOf(refusals);
            ages = List.copyOf(ages);
        }
    }

    /// A rule that came into force in the run with rules.
    ///
    /// @param firstMillis since 1970
    /// @param reply that completed it the first time
    public record TriggeredRule(String rule, String subject, long firstMillis, int times, String reply) {}

    public static TrialReport of(TrialRequest request) {
        long length = Math.max(1, request.toMillis() - request.fromMillis());
        long horizon = length + Math.max(HOUR, length);
        long bucket = Math.max(1, Math.ceilDiv(horizon, BUCKETS));
        Scenario scenario = request.traffic().between(request.fromMillis(), request.toMillis(), request.settings(),
                request.smtp());
        ShapedRun without = new ShapedRun(ShapingRules.NONE, request.providers(), bucket, BUCKETS)
                .run(scenario, horizon, MOST_EVENTS);
        ShapedRun with = new ShapedRun(request.rules(), request.providers(), bucket, BUCKETS)
                .run(scenario, horizon, MOST_EVENTS);
        int last = Math.max(without.last(), with.last());
        List<String> assumptions = new ArrayList<>();
        assumptions.add(scenario.mails().size() + (scenario.mails().size() == 1 ? " message" : " messages")
                + " of the interval; no further mail arrives");
        assumptions.addAll(request.traffic().assumptions(request.fromMillis(), request.toMillis()));
        return new TrialReport(assumptions, request.traffic().remarks(), request.fromMillis(), bucket,
                curves(without, last), curves(with, last),
                with.uses().values().stream().map(each -> new TriggeredRule(each.rule(), each.subject(),
                        request.fromMillis() + each.firstMillis(), each.times(), each.reply())).toList());
    }

    private static TrialCurves curves(ShapedRun run, int last) {
        return new TrialCurves(values(run.delivered(), last), values(run.refused(), last), values(run.ages(), last),
                (long) Arrays.stream(run.delivered()).sum(), (long) Arrays.stream(run.refused()).sum(), run.failed(),
                run.waiting(), (long) Arrays.stream(run.ages()).max().orElse(0), run.latestMillis());
    }

    private static List<Long> values(double[] values, int last) {
        return Arrays.stream(values).limit(last + 1L).mapToObj(each -> (long) each).toList();
    }
}
