package org.slipstream.server.monitor;

import org.slipstream.auth.dkim.DkimVerdict;
import org.slipstream.auth.dmarc.DmarcResult;
import org.slipstream.auth.spf.SpfResult;
import org.slipstream.guard.sender.SenderVerdicts;
import org.slipstream.monitor.MetricFamilies.Series;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/// Counts the verdicts about senders: SPF of MAIL FROM and DMARC once for each message, DKIM for each
/// signature that was judged.
public final class VerdictCounts implements Consumer<SenderVerdicts> {
    private final Map<SpfResult, LongAdder> spf = zeros(SpfResult.class);
    private final Map<DkimVerdict, LongAdder> dkim = zeros(DkimVerdict.class);
    private final Map<DmarcResult, LongAdder> dmarc = zeros(DmarcResult.class);
    private final LongAdder unsigned = new LongAdder();

    private static <E extends Enum<E>> Map<E, LongAdder> zeros(Class<E> type) {
        Map<E, LongAdder> zeros = new EnumMap<>(type);
        Arrays.stream(type.getEnumConstants()).forEach(each -> zeros.put(each, new LongAdder()));
        return zeros;
    }

    @Override
    public void accept(SenderVerdicts verdicts) {
        one(spf, verdicts.spf().result());
        one(dmarc, verdicts.dmarc().result());
        verdicts.signatures().forEach(each -> one(dkim, each.verdict()));
        if (verdicts.signatures().isEmpty()) {
            unsigned.increment();
        }
    }

    private static <E extends Enum<E>> void one(Map<E, LongAdder> counts, E result) {
        Objects.requireNonNull(counts.get(result)).increment();
    }

    void each(Series series) {
        each(series, "spf", spf);
        each(series, "dkim", dkim);
        series.add(unsigned.sum(), "method", "dkim", "result", "none");
        each(series, "dmarc", dmarc);
    }

    private static <E extends Enum<E>> void each(Series series, String method, Map<E, LongAdder> counts) {
        counts.forEach((result, count) -> series.add(count.sum(), "method", method, "result",
                result.name().toLowerCase(Locale.ROOT)));
    }
}
