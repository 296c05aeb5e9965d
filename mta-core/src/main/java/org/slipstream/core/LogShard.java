package org.slipstream.core;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The shard in log lines. A server with several shards ends each line that concerns one of them with
/// `shard=N`, so that the lines of one queue can be selected, as by indimail's delivery numbers.
///
/// The number is that of the thread, whose name has it. Other threads write about messages too; the
/// queue id in such a line names the shard that accepted the message. So no call of a logger has to
/// mention the shard. With one shard the lines are as they are.
public final class LogShard {
    private static final Pattern THREAD = Pattern.compile("(?:qmgr|local|report|spool-[a-z]+)-([0-9]{1,2})(?:-[0-9]+)?"
            + "|out-([0-9]{1,2})-[0-9]+(?:-in)?");
    private static final Pattern QUEUE = Pattern.compile("^event=[a-z-]+ queue=([0-9a-z]{11,12})(?: |$)");
    private static final Pattern NAMED = Pattern.compile("^[^\"]* shard=");

    // A property of the process, as its standard error is.
    private static volatile boolean several;

    private LogShard() {}

    /// @param now whether the server has more than one shard
    public static void several(boolean now) {
        several = now;
    }

    /// The end of a line: ` shard=N`, or nothing.
    ///
    /// @param thread its name
    public static String suffix(String thread, String line) {
        return several && !NAMED.matcher(line).find() ? of(thread, line) : "";
    }

    private static String of(String thread, String line) {
        Matcher named = THREAD.matcher(thread);
        if (named.matches()) {
            return " shard=" + (named.group(1) == null ? named.group(2) : named.group(1));
        }
        Matcher queue = QUEUE.matcher(line);
        return queue.find()
                ? QueueId.parse(queue.group(1)).map(id -> " shard=" + id.shard()).orElse("")
                : "";
    }
}
