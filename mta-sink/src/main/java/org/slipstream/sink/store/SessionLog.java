package org.slipstream.sink.store;

import org.slipstream.sink.store.SessionTranscript.TranscriptView;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/// The transcripts of the newest sessions.
public final class SessionLog {
    private final int most;
    private final SequencedMap<Long, SessionTranscript> sessions = new LinkedHashMap<>();
    private long last;

    /// @param most sessions that are kept
    public SessionLog(int most) {
        this.most = most;
    }

    public synchronized SessionTranscript begin(String client) {
        SessionTranscript session = new SessionTranscript(++last, client, Instant.now());
        sessions.put(last, session);
        while (sessions.size() > most) {
            sessions.pollFirstEntry();
        }
        return session;
    }

    public synchronized Optional<SessionTranscript> session(long number) {
        return Optional.ofNullable(sessions.get(number));
    }

    /// Newest first.
    public List<TranscriptView> newest(int count) {
        List<SessionTranscript> all;
        synchronized (this) {
            all = new ArrayList<>(sessions.sequencedValues().reversed());
        }
        return all.stream().limit(count).map(SessionTranscript::view).toList();
    }
}
