package org.slipstream.server.film;

import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Outcome;
import org.slipstream.lab.WorldObserver;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The time at which the mail of each domain is done in a simulated world.
final class Ends implements WorldObserver {
    private static final int MOST_DOMAINS = 20;

    long latestMillis;
    private final Map<String, Long> ends = new TreeMap<>();
    private final Map<String, Integer> recipients = new TreeMap<>();
    private final Runnable step;

    /// @param step runs at each event
    Ends(Runnable step) {
        this.step = step;
    }

    @Override
    public void happened(long nowMillis, QmgrEvent event) {
        step.run();
    }

    @Override
    public void ordered(long nowMillis, QmgrOrder order) {
        if (order instanceof QmgrOrder.RecordOutcome record) {
            latestMillis = nowMillis;
            for (int i = 0; i < record.outcomes().size(); i++) {
                if (!(record.outcomes().get(i).outcome() instanceof Outcome.Deferred)) {
                    Recipient recipient = record.recipients().get(i);
                    ends.put(recipient.address().domainKey(), nowMillis);
                    recipients.merge(recipient.address().domainKey(), 1, Integer::sum);
                }
            }
        }
    }

    /// Domain, recipients, and when they are done in either world; those with most recipients first.
    static List<List<String>> rows(Ends first, Ends second) {
        List<List<String>> rows = new ArrayList<>();
        first.recipients.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_DOMAINS).forEach(each -> rows.add(List.of(each.getKey(), Integer.toString(each.getValue()),
                        first.end(each.getKey()), second.end(each.getKey()))));
        return rows;
    }

    private String end(String domain) {
        Long millis = ends.get(domain);
        return millis == null ? "not within 2 days" : millis / 1_000 + "." + millis % 1_000 / 100 + " s";
    }
}
