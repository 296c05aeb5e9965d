package org.slipstream.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import org.slipstream.admin.operations.ServerLog;
import org.slipstream.core.text.Controls;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Keeps the latest lines of the log that are about the server and not about one message or session.
///
/// Warnings have a ring of their own: strangers can cause any number of them, and they must not push
/// the orders of operators out. Both rings together hold at most [#MOST_LINES] lines twice, each of
/// [#LONGEST] characters, which is less than a MiB.
public final class RecentEvents extends UnsynchronizedAppenderBase<ILoggingEvent> implements ServerLog {
    static final int MOST_LINES = 200;
    static final int LONGEST = 600;
    private static final Pattern NAME = Pattern.compile("^event=([a-z0-9-]{1,60}) ?");
    /// Keys of lines about a message, a client or a connection, as the statements in the code have them.
    private static final List<String> SMALL = List.of(" queue={", " session={", " connection={");

    private final Deque<Line> orders = new ArrayDeque<>();
    private final Deque<Line> warnings = new ArrayDeque<>();
    private long lines;

    private record Line(long number, ServerEvent event) {}

    @Override
    protected void append(ILoggingEvent event) {
        boolean warns = event.getLevel().isGreaterOrEqual(Level.WARN);
        if (warns || event.getLevel().isGreaterOrEqual(Level.INFO)
                && SMALL.stream().noneMatch(event.getMessage()::contains)) {
            keep(warns ? warnings : orders, kept(event));
        }
    }

    private static ServerEvent kept(ILoggingEvent event) {
        String text = Controls.onOneLine(event.getFormattedMessage());
        Matcher name = NAME.matcher(text);
        boolean named = name.find();
        String rest = named ? text.substring(name.end()) : text;
        return new ServerEvent(event.getInstant().toString(), event.getLevel().toString().toLowerCase(Locale.ROOT),
                named ? name.group(1) : "", rest.substring(0, Math.min(rest.length(), LONGEST)));
    }

    private synchronized void keep(Deque<Line> ring, ServerEvent event) {
        ring.addFirst(new Line(lines++, event));
        if (ring.size() > MOST_LINES) {
            ring.removeLast();
        }
    }

    @Override
    public List<ServerEvent> events() {
        List<Line> all;
        synchronized (this) {
            all = new ArrayList<>(Stream.concat(orders.stream(), warnings.stream()).toList());
        }
        all.sort(Comparator.comparingLong(Line::number).reversed());
        return all.stream().map(Line::event).toList();
    }
}
