package org.slipstream.smtpout.source;

import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalInt;

/// The schedule of a new address: how many messages it may send to one provider on a day.
///
/// Providers know an address by its history, and mail from one without a history is refused or delayed. So the
/// amount grows day by day, usually by a factor of two. Days are those of UTC, and a day is a date: a clock that
/// jumps changes at most which day it is.
///
/// @param perDay of the first day and those behind it
public record WarmUp(LocalDate start, List<Integer> perDay) {
    public WarmUp {
        perDay = List.copyOf(perDay);
    }

    /// The number of a day: 1 for the first, 0 or less before it.
    public int day(LocalDate today) {
        return Math.clamp(ChronoUnit.DAYS.between(start, today) + 1, -1_000_000, 1_000_000);
    }

    /// Messages on this day; empty without a limit.
    public OptionalInt limit(LocalDate today) {
        int day = day(today);
        if (day > perDay.size()) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(day < 1 ? 0 : perDay.get(day - 1));
    }
}
