package org.slipstream.picture;

import org.slipstream.picture.RunRecord.Attempt;
import org.slipstream.picture.RunRecord.AttemptOutcome;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// One bar of the picture: deliveries of one message that follow each other on one connection
/// without a pause and have the same result.
///
/// @param connection number of the connection
public record DeliveryBar(String name, int connection, long selectedMillis, long startMillis, long endMillis,
        int entries,
        AttemptOutcome result,
        String destination) {

    /// All bars, in the order of their start.
    public static List<DeliveryBar> of(List<Attempt> attempts) {
        Map<Integer, DeliveryBar> open = new TreeMap<>();
        List<DeliveryBar> done = new ArrayList<>();
        for (Attempt attempt : attempts) {
            DeliveryBar one = of(attempt);
            DeliveryBar before = open.get(one.connection());
            if (before != null && before.isFollowedBy(one)) {
                open.put(one.connection(), before.with(one));
            } else {
                if (before != null) {
                    done.add(before);
                }
                open.put(one.connection(), one);
            }
        }
        done.addAll(open.values());
        done.sort(Comparator.comparingLong(DeliveryBar::selectedMillis).thenComparingInt(DeliveryBar::connection));
        return done;
    }

    private static DeliveryBar of(Attempt attempt) {
        return new DeliveryBar(attempt.name(), attempt.connection(), attempt.selectedMillis(),
                attempt.startMillis().orElse(attempt.endMillis()), attempt.endMillis(), 1, attempt.result(),
                attempt.destination());
    }

    private boolean isFollowedBy(DeliveryBar next) {
        return name.equals(next.name) && result == next.result && destination.equals(next.destination)
                && endMillis == next.selectedMillis && next.selectedMillis == next.startMillis
                && next.startMillis < next.endMillis;
    }

    private DeliveryBar with(DeliveryBar next) {
        return new DeliveryBar(name, connection, selectedMillis, startMillis, next.endMillis, entries + next.entries,
                result,
                destination);
    }

    boolean isTrouble() {
        return result == AttemptOutcome.TROUBLE;
    }

    String label() {
        return entries == 1 ? name : name + "×" + entries;
    }

    public String text() {
        return label() + " to " + destination + switch (result) {
            case DELIVERED -> "";
            case DEFERRED -> ": deferred";
            case REFUSED -> ": refused";
            case TROUBLE -> ": no session, or a session that broke";
            case UNFINISHED -> ": not finished";
        };
    }
}
