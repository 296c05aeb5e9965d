package org.slipstream.sink.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The lines of one session in both directions, with their times. Contents stand as their size. A
/// transcript is bounded: of a long session it has the beginning.
public final class SessionTranscript {
    private static final int MOST_LINES = 500;
    private static final int LONGEST_LINE = 1_000;

    private final long number;
    private final String client;
    private final Instant start;
    private final List<TranscriptLine> lines = new ArrayList<>();
    private int left;
    private boolean open = true;

    /// @param from `C` for the client, `S` for the server, `-` for a remark
    public record TranscriptLine(long afterMillis, String from, String text) {}

    /// A picture of a transcript.
    ///
    /// @param left lines that are not kept
    public record TranscriptView(long number, String client, Instant start, boolean open, int left,
            List<TranscriptLine> lines) {}

    SessionTranscript(long number, String client, Instant start) {
        this.number = number;
        this.client = client;
        this.start = start;
    }

    public synchronized void add(String from, String text) {
        long after = Instant.now().toEpochMilli() - start.toEpochMilli();
        text.lines().forEach(line -> {
            if (lines.size() >= MOST_LINES) {
                left++;
            } else {
                lines.add(new TranscriptLine(after, from,
                        line.length() > LONGEST_LINE ? line.substring(0, LONGEST_LINE) + "…" : line));
            }
        });
    }

    public synchronized void end(String remark) {
        add("-", remark);
        open = false;
    }

    public long number() {
        return number;
    }

    public synchronized TranscriptView view() {
        return new TranscriptView(number, client, start, open, left, List.copyOf(lines));
    }
}
