package org.slipstream.lab.world;

import org.slipstream.core.text.Controls;
import org.slipstream.lab.world.WorldHistory.WorldStep;
import org.slipstream.picture.StripPicture.Strip;
import org.slipstream.picture.StripPicture.StripMark;
import org.slipstream.picture.StripPicture.StripRow;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the events of a world in their order: the states of the server and of each acknowledged message over time,
/// and for each event the message that it names.
final class WorldStory {
    static final int MOST_MESSAGES = 200;
    private static final int MOST_MARKS = 200;
    private static final int MOST_FAULTS = 40;
    private static final int LONGEST_TITLE = 1_000;
    private static final Pattern ACKNOWLEDGED = Pattern.compile("acknowledged (\\d{1,9}) as (\\S+) for \\[(.*)]");
    private static final Pattern NAMED = Pattern.compile("(?:message|client:|takes) (\\d{1,9})\\b");
    private static final Pattern OUTCOME = Pattern
            .compile("event=delivery queue=(\\S+) recipient=<([^>]*)>.* result=(sent|deferred|failed)\\b");
    private static final Pattern OF_QUEUE = Pattern.compile("event=(message-removed|report-queued) queue=(\\S+)");
    private static final Pattern WORD = Pattern.compile("[0-9A-Za-z]{5,40}");
    private static final Pattern FAULT = Pattern.compile("(fault|order) (\\S+) (\\d{1,9}) (\\d{1,9}) (-?\\d{1,9})");
    static final String DONE = "done";

    private final SequencedMap<Integer, Course> courses = new LinkedHashMap<>();
    private final Map<String, Integer> queued = new LinkedHashMap<>();
    private final List<Strip> server = new ArrayList<>();
    private final List<StripMark> troubles = new ArrayList<>();
    private String serverState = "down";
    private long serverSince;
    private int done;
    private long now;

    /// An event, the message that it names and what is so after it.
    ///
    /// @param message 0 for none
    record ToldStep(WorldStep step, int message, String kind, String state) {}

    private static final class Course {
        final int number;
        final String queueId;
        final String recipients;
        final Set<String> open = new LinkedHashSet<>();
        final int all;
        final List<Strip> strips = new ArrayList<>();
        final List<StripMark> marks = new ArrayList<>();
        String state = "waits";
        long since;
        int doneSince;

        Course(int number, String queueId, String recipients, long now) {
            this.number = number;
            this.queueId = queueId;
            this.recipients = recipients;
            open.addAll(List.of(recipients.split(", ")));
            all = open.size();
            since = now;
        }

        void enter(String next, long now) {
            if (!next.equals(state) && !state.equals(DONE)) {
                close(now);
                state = next;
                since = now;
                doneSince = all - open.size();
            }
        }

        void close(long now) {
            if (!state.equals(DONE)) {
                strips.add(new Strip(since, now, state,
                        words(state) + ", " + doneSince + " of " + all + " recipients done"));
            }
        }

        void mark(String kind, String title, long now) {
            if (marks.size() < MOST_MARKS) {
                marks.add(new StripMark(now, kind, title));
            }
        }

        StripRow row() {
            return new StripRow(number + "  " + queueId, String.valueOf(number),
                    "message " + number + ", " + queueId + ", for " + recipients, strips, marks);
        }
    }

    private static String words(String state) {
        return switch (state) {
            case "waits" -> "waits for its first attempt";
            case "deferred" -> "deferred, waits for its next attempt";
            case "partly" -> "some recipients have it";
            default -> state;
        };
    }

    ToldStep read(WorldStep step) {
        now = Math.max(now, step.millis());
        String first = Controls.replaced(step.text().lines().findFirst().orElse(""));
        first = first.substring(0, Math.min(first.length(), LONGEST_TITLE));
        Matcher acknowledged = ACKNOWLEDGED.matcher(first);
        Matcher outcome = OUTCOME.matcher(first);
        Matcher ofQueue = OF_QUEUE.matcher(first);
        int message = message(first);
        String kind = "";
        if (acknowledged.matches()) {
            message = Integer.parseInt(acknowledged.group(1));
            kind = "waits";
            acknowledged(message, acknowledged.group(2), acknowledged.group(3));
        } else if (first.startsWith("TROUBLE ")) {
            kind = "trouble";
            trouble(message, first);
        } else if (outcome.find()) {
            kind = outcome.group(3);
            String result = kind;
            course(message).ifPresent(course -> outcome(course, outcome.group(2), result));
        } else if (ofQueue.find()) {
            boolean removed = ofQueue.group(1).equals("message-removed");
            course(message).ifPresent(course -> ofQueue(course, removed));
        } else if (first.contains(" takes ") && courses.containsKey(message)) {
            kind = "taken";
            String title = first;
            course(message).ifPresent(course -> course.mark("taken", title, now));
        } else {
            kind = server(first);
        }
        return new ToldStep(step, message, kind, state());
    }

    private int message(String text) {
        Matcher named = NAMED.matcher(text);
        if (named.find()) {
            return Integer.parseInt(named.group(1));
        }
        Matcher words = WORD.matcher(text);
        while (words.find()) {
            Integer message = queued.get(words.group());
            if (message != null) {
                return message;
            }
        }
        return 0;
    }

    private void acknowledged(int message, String queueId, String recipients) {
        queued.put(queueId, message);
        courses.put(message, new Course(message, queueId, recipients, now));
    }

    private void trouble(int message, String text) {
        if (troubles.size() < MOST_MARKS) {
            troubles.add(new StripMark(now, "trouble", text));
        }
        course(message).ifPresent(course -> course.mark("trouble", text, now));
    }

    private Optional<Course> course(int message) {
        return Optional.ofNullable(courses.get(message));
    }

    private void outcome(Course course, String recipient, String result) {
        course.mark(result, recipient + ": " + result, now);
        if (!result.equals("deferred")) {
            course.open.remove(recipient);
        }
        if (course.open.isEmpty()) {
            ends(course);
        } else {
            course.enter(result.equals("deferred") ? result : "partly", now);
        }
    }

    private void ofQueue(Course course, boolean removed) {
        if (removed) {
            ends(course);
        } else {
            course.mark("report", "a report for its sender", now);
        }
    }

    private void ends(Course course) {
        if (!course.state.equals(DONE)) {
            done++;
        }
        course.enter(DONE, now);
    }

    /// The kind of the event.
    private String server(String text) {
        if (text.equals("server starts")) {
            enter("starts");
        } else if (text.equals("server accepts mail")) {
            enter("runs");
        } else if (text.startsWith("fault kill ") || text.startsWith("fault cut ") || text.equals("server stopped")
                || text.startsWith("server does not start") || text.startsWith("the program ends its process")) {
            enter("down");
        }
        return FAULT.matcher(text).matches() || text.startsWith("server ") ? "fault" : "";
    }

    private void enter(String state) {
        if (!state.equals(serverState)) {
            server.add(new Strip(serverSince, now, serverState, "the server " + serverWords(serverState)));
            serverState = state;
            serverSince = now;
        }
    }

    private static String serverWords(String state) {
        return state.equals("down") ? "is down" : state;
    }

    private String state() {
        int waits = courses.size() - done;
        return "the server " + serverWords(serverState) + "; " + waits
                + (waits == 1 ? " message waits, " : " messages wait, ") + done
                + (done == 1 ? " is done" : " are done");
    }

    /// Server, faults, orders and messages, after the last event.
    ///
    /// @param message 0 for all
    List<StripRow> rows(List<String> plan, int message) {
        courses.values().forEach(course -> {
            course.close(now);
            course.since = now;
        });
        server.add(new Strip(serverSince, now, serverState, "the server " + serverWords(serverState)));
        List<StripRow> rows = new ArrayList<>();
        rows.add(new StripRow("server", "", "the server", server, List.of()));
        plan.stream().map(FAULT::matcher).filter(Matcher::matches).limit(MOST_FAULTS).forEach(fault -> {
            long from = Math.min(now, Long.parseLong(fault.group(3)) * 1_000);
            long to = Math.min(now, from + Long.parseLong(fault.group(4)) * 1_000);
            rows.add(new StripRow(fault.group(1) + " " + fault.group(2), "", fault.group(),
                    List.of(new Strip(from, to, fault.group(1), fault.group())), List.of()));
        });
        rows.add(new StripRow("the checker", "", "what the checker said", List.of(), troubles));
        courses.values().stream().filter(each -> message == 0 || each.number == message).limit(MOST_MESSAGES)
                .forEach(each -> rows.add(each.row()));
        return rows;
    }

    int messages() {
        return courses.size();
    }
}
