package org.slipstream.lab.scene;

import org.slipstream.lab.scene.Course.Attempt;
import org.slipstream.lab.scene.Course.MessageResult;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Deliveries of one message that follow each other on one connection without a pause and end
/// alike: one bar of the picture.
record Stretch(String name, int slot, long selectedMillis, long startMillis, long endMillis, int entries,
        MessageResult result,
        String road) {

    /// In order of their beginnings.
    static List<Stretch> of(List<Attempt> attempts) {
        Map<Integer, Stretch> open = new TreeMap<>();
        List<Stretch> done = new ArrayList<>();
        for (Attempt attempt : attempts) {
            Stretch one = of(attempt);
            Stretch before = open.get(one.slot());
            if (before != null && before.isFollowedBy(one)) {
                open.put(one.slot(), before.with(one));
            } else {
                if (before != null) {
                    done.add(before);
                }
                open.put(one.slot(), one);
            }
        }
        done.addAll(open.values());
        done.sort(Comparator.comparingLong(Stretch::selectedMillis).thenComparingInt(Stretch::slot));
        return done;
    }

    private static Stretch of(Attempt attempt) {
        return new Stretch(attempt.name(), attempt.slot(), attempt.selectedMillis(),
                attempt.startMillis().orElse(attempt.endMillis()), attempt.endMillis(), 1, attempt.result(),
                attempt.road());
    }

    private boolean isFollowedBy(Stretch next) {
        return name.equals(next.name) && result == next.result && road.equals(next.road)
                && endMillis == next.selectedMillis && next.selectedMillis == next.startMillis
                && next.startMillis < next.endMillis;
    }

    private Stretch with(Stretch next) {
        return new Stretch(name, slot, selectedMillis, startMillis, next.endMillis, entries + next.entries, result,
                road);
    }

    boolean isTrouble() {
        return result == MessageResult.TROUBLE;
    }

    String label() {
        return entries == 1 ? name : name + "×" + entries;
    }

    String words() {
        return label() + " to " + road + switch (result) {
            case DELIVERED -> "";
            case DEFERRED -> ": deferred";
            case REFUSED -> ": refused";
            case TROUBLE -> ": no session, or one that broke";
            case UNFINISHED -> ": not finished";
        };
    }
}
