package org.slipstream.picture;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The time axis of a picture. Long times without deliveries are shortened to gaps. Without gaps, a
/// mailing of ten seconds and its second attempt after five minutes would look like two points.
public final class TimeAxis {
    private static final int GAP_WIDTH = 46;
    private static final double LONG_GAP = 0.08;
    private static final int MOST_GAPS = 6;
    private static final int LEAST_BETWEEN_TICKS = 58;
    private static final int TICKS = 10;

    /// A part of the axis with one scale.
    record Part(long fromMillis, long toMillis, double left, double right, boolean gap) {
        double x(long millis) {
            return toMillis == fromMillis
                    ? left
                    : left + (double) (millis - fromMillis) / (toMillis - fromMillis) * (right - left);
        }
    }

    record Tick(double x, long atMillis) {}

    /// A time in which something happens, or a moment.
    record Busy(long fromMillis, long toMillis) {}

    private record Span(long from, long to) {
        long millis() {
            return to - from;
        }
    }

    private final List<Part> parts = new ArrayList<>();
    private final long endMillis;

    /// @param times of everything that shares the axis, in the order of their begin
    TimeAxis(List<Busy> times, double left, double right) {
        this.endMillis = Math.max(1, times.stream().mapToLong(Busy::toMillis).max().orElse(1));
        List<Span> gaps = gaps(times);
        long busy = endMillis - gaps.stream().mapToLong(Span::millis).sum();
        double scale = (right - left - gaps.size() * GAP_WIDTH) / busy;
        long at = 0;
        double x = left;
        for (Span gap : gaps) {
            x = add(at, gap.from(), x, x + (gap.from() - at) * scale, false);
            x = add(gap.from(), gap.to(), x, x + GAP_WIDTH, true);
            at = gap.to();
        }
        add(at, endMillis, x, right, false);
    }

    private double add(long from, long to, double left, double right, boolean gap) {
        if (to > from) {
            parts.add(new Part(from, to, left, right, gap));
        }
        return right;
    }

    // The longest times in which nothing happens.
    private List<Span> gaps(List<Busy> times) {
        List<Span> gaps = new ArrayList<>();
        long busyUntil = 0;
        for (Busy each : times) {
            if (each.fromMillis() - busyUntil > endMillis * LONG_GAP) {
                // A margin at both ends keeps the bars away from the gap.
                long margin = (each.fromMillis() - busyUntil) / 50;
                gaps.add(new Span(busyUntil + margin, each.fromMillis() - margin));
            }
            busyUntil = Math.max(busyUntil, each.toMillis());
        }
        // Many gaps are the interesting part of a run, for example the intervals of retries.
        return gaps.size() > MOST_GAPS ? List.of() : gaps;
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

    List<Part> gaps() {
        return parts.stream().filter(Part::gap).toList();
    }

    /// Ticks at round times, as many as have room.
    List<Tick> ticks() {
        List<Tick> ticks = new ArrayList<>();
        long busy = parts.stream().filter(part -> !part.gap()).mapToLong(part -> part.toMillis() - part.fromMillis())
                .sum();
        long step = step(busy);
        for (Part part : parts) {
            long first = (part.fromMillis() + step - 1) / step * step;
            for (long at = first; at <= part.toMillis() && !part.gap(); at += step) {
                if (ticks.isEmpty() || x(at) - ticks.getLast().x() >= LEAST_BETWEEN_TICKS) {
                    ticks.add(new Tick(x(at), at));
                }
            }
        }
        return ticks;
    }

    /// 1, 2 or 5 times a power of ten, for about ten ticks.
    private static long step(long all) {
        long step = 1;
        while (all / step > TICKS) {
            step = String.valueOf(step).startsWith("2") ? step / 2 * 5 : step * 2;
        }
        return step;
    }

    /// The time in seconds, with up to three decimals.
    public static String seconds(long millis) {
        long size = Math.abs(millis);
        String digits = size % 1_000 == 0 ? "" : ("." + "%03d".formatted(size % 1_000)).replaceFirst("0+$", "");
        return (millis < 0 ? "-" : "") + size / 1_000 + digits + "s";
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
