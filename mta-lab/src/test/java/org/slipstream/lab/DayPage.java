package org.slipstream.lab;

import org.slipstream.lab.DayRecorder.HourSample;
import org.slipstream.lab.DayRecorder.KillSample;

import java.util.Locale;

/// The page `docs/day.md` and its picture.
final class DayPage {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 260;
    private static final int LEFT = 48;
    private static final int TOP = 56;
    private static final int BOTTOM = 220;

    private final Scenario scenario;
    private final World world;
    private final DayRecorder recorder;
    private final long twice;

    DayPage(Scenario scenario, World world, DayRecorder recorder, long twice) {
        this.scenario = scenario;
        this.world = world;
        this.recorder = recorder;
        this.twice = twice;
    }

    // ---- the page

    String text() {
        StringBuilder page = new StringBuilder("""
                # A day in the life

                <!-- written by DayTest -->

                The queue manager of the server runs one day in the simulated world of mta-lab, with the default
                settings. An office sends its mail to %s destinations, one of which is its own. Some of them have
                an outage, and the server is killed three times. After every event a check asks the simulated
                disk and the simulated servers where each acknowledged recipient is. Exactly one of five answers
                is possible: delivered, bounced, held by an operator, queued, or deleted by an operator.

                | | |
                |---|---|
                """.formatted(scenario.domains().size()));
        row(page, "messages of clients", number(scenario.mails().size()));
        row(page, "recipients, with those of reports", number(world.totals().accepted()));
        row(page, "events of the queue manager", number(world.events()));
        row(page, "checks of invariants", number(world.checks()));
        row(page, "delivered in the end", number(world.totals().delivered()));
        row(page, "bounced in the end", number(world.totals().bounced()));
        row(page, "lost", number(world.totals().accepted() - world.totals().delivered() - world.totals().bounced()));
        row(page, "copies that arrived twice, because of kills and lost replies", number(twice));
        hours(page);
        troubles(page);
        kills(page);
        decisions(page);
        return page.toString();
    }

    private void hours(StringBuilder page) {
        page.append("""

                ## By hour

                ![The length of the queue during the day](pictures/day.svg)

                All columns but the last two count recipients during the hour. The last two show the end of the
                hour: the messages in the queue, and the age of the oldest.

                | Hour | Accepted | Delivered | Deferred | Deferred untried | Bounced | In queue | Oldest |
                |---|---:|---:|---:|---:|---:|---:|---:|
                """);
        HourSample before = new HourSample(0, new AcceptedMail.MailAccount(0, 0, 0, 0, 0, 0), 0, 0, 0, 0);
        for (HourSample hour : recorder.hours) {
            row(page, DayScenario.clock(hour.atMillis() - DayScenario.HOUR),
                    number(hour.totals().accepted() - before.totals().accepted()),
                    number(hour.totals().delivered() - before.totals().delivered()),
                    number(hour.deferred() - before.deferred()), number(hour.untried() - before.untried()),
                    number(hour.totals().bounced() - before.totals().bounced()), number(hour.messages()),
                    hour.messages() == 0 ? "–" : span(hour.oldestMillis()));
            before = hour;
        }
        row(page, "the days after", number(world.totals().accepted() - before.totals().accepted()),
                number(world.totals().delivered() - before.totals().delivered()),
                number(recorder.deferred - before.deferred()), number(recorder.untried - before.untried()),
                number(world.totals().bounced() - before.totals().bounced()), number(world.spool().rows.size()), "–");
        page.append("""

                *Deferred untried* is mail of a destination that is dead at that moment: it gets the reason of
                the failure and no connection is opened for it. The last queued message leaves the server %s
                after the beginning of the day; it is mail for a host that never answers, and its lifetime is
                five days.
                """.formatted(span(world.nowMillis())));
    }

    private void troubles(StringBuilder page) {
        page.append("""

                ## Destinations with trouble

                *Left alone* is the time during the day in which the queue manager opens no connection to the
                host, because the last one failed: the first and the last minute, and the number of minutes.
                *Dead* counts how often it declared a destination dead. As in Postfix, that takes as many failed
                connections as the window allows, and the state is dropped when no mail is left in memory. So a
                destination with a message now and then is tried each time. A host is left alone only if the
                destination has another one, or is dead.

                | Destination | Trouble | From – to | Left alone | Minutes | Dead | Deferred | Untried |
                |---|---|---|---|---:|---:|---:|---:|
                """);
        recorder.troubles.forEach((each, figures) -> row(page, each.name(), each.trouble(), each.at(),
                figures.firstMillis < 0
                        ? "–"
                        : DayScenario.clock(figures.firstMillis) + "–" + DayScenario.clock(figures.lastMillis),
                number(figures.minutesLeftAlone), number(figures.dead), number(figures.deferred),
                number(figures.untried)));
        page.append("""

                The last two columns include the days after.
                """);
    }

    private void kills(StringBuilder page) {
        page.append("""

                ## Kills

                The server starts again at once. It knows what the disk has; the state of the queue manager and
                of all connections is lost. A delivery that was accepted, and whose record was not yet written,
                is repeated (RFC 1047).

                | At | Messages in the queue | In the active set | Deliveries under way |
                |---|---:|---:|---:|
                """);
        for (KillSample kill : recorder.kills) {
            row(page, "%s:%02d".formatted(DayScenario.clock(kill.atMillis()),
                    kill.atMillis() % DayScenario.MINUTE / DayScenario.SECOND), number(kill.messages()),
                    number(kill.active()), number(kill.running()));
        }
    }

    private void decisions(StringBuilder page) {
        page.append("""

                ## Work of the queue manager

                | | |
                |---|---:|
                """);
        row(page, "deliveries", number(recorder.deliveries));
        row(page, "connections opened", number(recorder.connections));
        row(page, "connections that failed", number(recorder.failedConnections));
        row(page, "lookups of routes", number(recorder.lookups));
        row(page, "scans of the queue", number(recorder.scans));
        row(page, "messages in the active set, at most", number(recorder.mostActive));
        row(page, "reports to senders", number(recorder.reports));
        page.append("""

                The operator holds one message to the full mailbox and one to the dead host in the morning,
                flushes a hosted domain after the outage, and releases the first message in the evening. The
                second one stays on hold until its lifetime ends.

                `DayTest` in mta-lab makes this page and its picture. The run is the same each time, because all
                random numbers come from a seed.
                """);
    }

    private static void row(StringBuilder page, String... cells) {
        page.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private static String number(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static String span(long millis) {
        long days = millis / (24 * DayScenario.HOUR);
        long hours = millis / DayScenario.HOUR % 24;
        long minutes = millis / DayScenario.MINUTE % 60;
        return days > 0
                ? days + " d " + hours + " h"
                : hours > 0 ? hours + " h " + minutes + " min" : minutes + " min";
    }

    // ---- the picture

    String picture() {
        String title = "The length of the queue during the day";
        int most = (recorder.queue.stream().mapToInt(Integer::intValue).max().orElse(1) / 50 + 1) * 50;
        StringBuilder svg = new StringBuilder("""
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img" \
                aria-labelledby="title">
                <title id="title">%3$s</title>
                <style>
                text { fill: #1b1b1b; font: 12px "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; }
                .head { font-size: 17px; font-weight: bold; } .soft { fill: #595959; }
                .paper { fill: #ffffff; stroke: #c8c8c8; } .grid { stroke: #d8d8d8; } .area { fill: #9db4ff; }
                .kill { stroke: #b3261e; stroke-dasharray: 4 3; }
                </style>
                <rect class="paper" x=".5" y=".5" rx="8" width="%4$d" height="%5$d"/>
                <text class="head" x="24" y="30">%3$s</text>
                """.formatted(WIDTH, HEIGHT, title, WIDTH - 1, HEIGHT - 1));
        for (int level = 0; level <= most; level += 50) {
            svg.append("<line class=\"grid\" x1=\"%d\" y1=\"%s\" x2=\"%d\" y2=\"%2$s\"/>".formatted(LEFT,
                    y(level, most), WIDTH - 24))
                    .append("<text class=\"soft\" x=\"%d\" y=\"%s\" text-anchor=\"end\">%d</text>\n".formatted(LEFT - 8,
                            y(level, most), level));
        }
        for (int hour = 0; hour <= 24; hour += 3) {
            svg.append("<text class=\"soft\" x=\"%s\" y=\"%d\" text-anchor=\"middle\">%02d:00</text>\n"
                    .formatted(x(hour * 60), BOTTOM + 20, hour % 24));
        }
        svg.append("<path class=\"area\" d=\"M").append(x(0)).append(' ').append(BOTTOM);
        for (int minute = 0; minute < recorder.queue.size(); minute++) {
            svg.append('L').append(x(minute)).append(' ').append(y(recorder.queue.get(minute), most));
        }
        svg.append('L').append(x(recorder.queue.size())).append(' ').append(BOTTOM).append("Z\"/>\n");
        for (KillSample kill : recorder.kills) {
            String x = x((int) (kill.atMillis() / DayScenario.MINUTE));
            svg.append("<line class=\"kill\" x1=\"%s\" y1=\"%d\" x2=\"%1$s\" y2=\"%d\"/>".formatted(x, TOP - 6, BOTTOM))
                    .append("<text class=\"soft\" x=\"%s\" y=\"%d\" text-anchor=\"middle\">kill</text>\n".formatted(x,
                            TOP - 10));
        }
        return svg.append("</svg>\n").toString();
    }

    private static String x(int minute) {
        return String.format(Locale.ROOT, "%.1f", LEFT + minute * (double) (WIDTH - 24 - LEFT) / (24 * 60));
    }

    private static String y(int value, int most) {
        return String.format(Locale.ROOT, "%.1f", BOTTOM - value * (double) (BOTTOM - TOP) / most);
    }
}
