package org.slipstream.lab.scene;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Time from left to right, with long times without deliveries cut short. Without the cuts, a
/// mailing of ten seconds and its second attempt after five minutes would be two points.
final class TimeAxis {
    private static final int SILENCE_WIDTH = 46;
    private static final double LONG_SILENCE = 0.08;
    private static final int MOST_SILENCES = 4;
    private static final int LEAST_BETWEEN_TICKS = 58;
    private static final int TICKS = 10;

    /// A part of the axis with one scale.
    record Part(long fromMillis, long toMillis, double left, double right, boolean silent) {
        double x(long millis) {
            return toMillis == fromMillis
                    ? left
                    : left + (double) (millis - fromMillis) / (toMillis - fromMillis) * (right - left);
        }
    }

    record Tick(double x, long atMillis) {}

    private record Span(long from, long to) {
        long millis() {
            return to - from;
        }
    }

    private final List<Part> parts = new ArrayList<>();
    private final long endMillis;

    /// @param stretches of all runs that share the axis, in order of their beginnings
    TimeAxis(List<Stretch> stretches, double left, double right) {
        this.endMillis = Math.max(1, stretches.stream().mapToLong(Stretch::endMillis).max().orElse(1));
        List<Span> silences = silences(stretches);
        long busy = endMillis - silences.stream().mapToLong(Span::millis).sum();
        double scale = (right - left - silences.size() * SILENCE_WIDTH) / busy;
        long at = 0;
        double x = left;
        for (Span silence : silences) {
            x = add(at, silence.from(), x, x + (silence.from() - at) * scale, false);
            x = add(silence.from(), silence.to(), x, x + SILENCE_WIDTH, true);
            at = silence.to();
        }
        add(at, endMillis, x, right, false);
    }

    private double add(long from, long to, double left, double right, boolean silent) {
        if (to > from) {
            parts.add(new Part(from, to, left, right, silent));
        }
        return right;
    }

    // The longest times in which nothing is under way.
    private List<Span> silences(List<Stretch> stretches) {
        List<Span> silences = new ArrayList<>();
        long busyUntil = 0;
        for (Stretch each : stretches) {
            if (each.selectedMillis() - busyUntil > endMillis * LONG_SILENCE) {
                // A bit of it at either end, so that what ends and begins does not touch the cut.
                long margin = (each.selectedMillis() - busyUntil) / 50;
                silences.add(new Span(busyUntil + margin, each.selectedMillis() - margin));
            }
            busyUntil = Math.max(busyUntil, each.endMillis());
        }
        // Where silence is the rule it is what there is to see: the rhythm of retries.
        return silences.size() > MOST_SILENCES ? List.of() : silences;
    }

    long endMillis() {
        return endMillis;
    }

    double x(long millis) {
        long within = Math.min(millis, endMillis);
        for (Part part : parts) {
            if (within <= part.toMillis()) {
                return part.x(within);
            }
        }
        return parts.getLast().right();
    }

    List<Part> silences() {
        return parts.stream().filter(Part::silent).toList();
    }

    /// At round times, as many as have room.
    List<Tick> ticks() {
        List<Tick> ticks = new ArrayList<>();
        long busy = parts.stream().filter(part -> !part.silent()).mapToLong(part -> part.toMillis() - part.fromMillis())
                .sum();
        long step = step(busy);
        for (Part part : parts) {
            long first = (part.fromMillis() + step - 1) / step * step;
            for (long at = first; at <= part.toMillis() && !part.silent(); at += step) {
                if (ticks.isEmpty() || x(at) - ticks.getLast().x() >= LEAST_BETWEEN_TICKS) {
                    ticks.add(new Tick(x(at), at));
                }
            }
        }
        return ticks;
    }

    /// 1, 2 or 5 times a power of ten, so that there are about ten.
    private static long step(long all) {
        long step = 1;
        while (all / step > TICKS) {
            step = String.valueOf(step).startsWith("2") ? step / 2 * 5 : step * 2;
        }
        return step;
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
