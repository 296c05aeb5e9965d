package org.slipstream.lab.world;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The file of a failed world: its plan, its troubles and what happened, as `docs/world.md` describes.
///
/// @param plan seed, size and faults, a line each
/// @param troubles what the checker said
public record WorldHistory(List<String> plan, List<String> troubles, List<WorldStep> events) {
    private static final String FIRST_LINE = "slipstream-world 1";
    private static final int MOST_LINES = 200_000;
    private static final int LONGEST_LINE = 4_000;
    /// An exception has that many lines at most.
    private static final int MOST_OF_ONE = 200;
    private static final Pattern EVENT = Pattern.compile("(\\d{1,9}\\.\\d{3}) (.*)");
    private static final Pattern ACKNOWLEDGED = Pattern.compile("acknowledged (\\d+) as (\\S+) for .*");

    /// @param second of the world's time
    public record WorldStep(String second, String text) {
        double seconds() {
            return Double.parseDouble(second);
        }

        long millis() {
            return Math.round(seconds() * 1_000);
        }
    }

    /// @param file the name of the file
    /// @throws IllegalArgumentException in a sentence, when the file is none of a world
    public static WorldHistory read(String file, BufferedReader lines) throws IOException {
        List<String> plan = new ArrayList<>();
        List<String> troubles = new ArrayList<>();
        List<WorldStep> events = new ArrayList<>();
        boolean isHistory = false;
        int number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (++number == 1 && !line.equals(FIRST_LINE)) {
                throw new IllegalArgumentException(file + " is no file of a world: its first line is not \""
                        + FIRST_LINE + "\"");
            }
            if (number > MOST_LINES) {
                throw new IllegalArgumentException(file + " has more than " + MOST_LINES + " lines");
            }
            String text = line.substring(0, Math.min(line.length(), LONGEST_LINE));
            if (text.equals("history")) {
                isHistory = true;
            } else if (isHistory) {
                add(text, troubles, events);
            } else if (number > 1 && !text.isBlank() && !text.startsWith("#")) {
                plan.add(text.strip());
            }
        }
        if (number == 0) {
            throw new IllegalArgumentException(file + " is empty");
        }
        return new WorldHistory(List.copyOf(plan), List.copyOf(troubles), List.copyOf(events));
    }

    private static void add(String line, List<String> troubles, List<WorldStep> events) {
        Matcher event = EVENT.matcher(line);
        if (event.matches()) {
            events.add(new WorldStep(event.group(1), event.group(2)));
        } else if (line.startsWith("# ") && events.isEmpty()) {
            if (line.startsWith("#   ") && !troubles.isEmpty()) {
                extend(troubles, troubles.getLast() + "\n" + line.substring(4));
            } else {
                troubles.add(line.substring(2));
            }
        } else if (!events.isEmpty()) {
            // A line of an exception.
            extend(events, new WorldStep(events.getLast().second(), events.getLast().text() + "\n" + line));
        }
    }

    private static <T> void extend(List<T> all, T last) {
        if (last.toString().lines().count() <= MOST_OF_ONE) {
            all.set(all.size() - 1, last);
        }
    }

    /// Chooses the events between two seconds, perhaps only those that name a message or have a text.
    ///
    /// @param message the number that its client gave it; 0 for all
    public Predicate<WorldStep> choice(double from, double to, int message, String text) {
        Pattern named = Pattern.compile("(?:acknowledged|takes|message|client:) " + message + "\\b" + queueId(message));
        return each -> each.seconds() >= from && each.seconds() <= to
                && (message == 0 || named.matcher(each.text()).find()) && each.text().contains(text);
    }

    private String queueId(int message) {
        return events.stream().map(each -> ACKNOWLEDGED.matcher(each.text()))
                .filter(each -> each.matches() && each.group(1).equals(String.valueOf(message)))
                .map(each -> "|" + Pattern.quote(each.group(2))).findFirst().orElse("");
    }
}
