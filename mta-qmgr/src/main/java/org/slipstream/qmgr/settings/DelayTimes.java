package org.slipstream.qmgr.settings;

import java.time.Duration;
import java.util.List;

/// The ages at which the sender of a message is told of its delay (ZMailer's `reporttimes`, ZM-42).
/// Several times that pass together, because the server was down, cause one report.
public record DelayTimes(List<Duration> times) {
    /// ZMailer's limit.
    public static final int MOST = 4;

    /// @param times zero stands for no report
    public DelayTimes {
        times = times.stream().filter(Duration::isPositive).distinct().sorted().toList();
    }

    /// How many of them a message has reached.
    public int passed(long createdMillis, long nowMillis) {
        return (int) times.stream().filter(time -> nowMillis - createdMillis >= time.toMillis()).count();
    }
}
