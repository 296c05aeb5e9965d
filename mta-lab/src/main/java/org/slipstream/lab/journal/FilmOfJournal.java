package org.slipstream.lab.journal;

import org.slipstream.lab.film.Film;
import org.slipstream.lab.film.FilmInterval;
import org.slipstream.lab.film.FilmRecorder;
import org.slipstream.lab.journal.JournalFilm.FilmRequest;
import org.slipstream.qmgr.journal.JournalRecord;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Takes the film of a journal while it is replayed.
final class FilmOfJournal {
    private final FilmRequest wanted;
    private final Optional<MessageDecisions> decisions;
    private Optional<FilmRecorder> recorder = Optional.empty();
    private long beganMillis;
    private long latestMillis;
    private boolean enough;

    FilmOfJournal(FilmRequest wanted) {
        this.wanted = wanted;
        this.decisions = wanted.about().map(MessageDecisions::new);
    }

    void begins(JournalRecord.Beginning beginning, Replay replay) {
        beganMillis = beginning.at();
        latestMillis = beganMillis;
        long from = Math.max(wanted.fromMillis(), beganMillis);
        if (from < wanted.toMillis()) {
            recorder = Optional
                    .of(new FilmRecorder(replay::queries, FilmInterval.of(from, wanted.toMillis()), wanted.about()));
            recorder.ifPresent(replay::watchedBy);
        }
        enough = recorder.isEmpty();
    }

    /// Whether this record, and those that follow, are still wanted.
    boolean wants(JournalRecord record) {
        if (record instanceof JournalRecord.JournalInput input) {
            enough = enough || input.at() > wanted.toMillis();
        }
        return !enough;
    }

    void take(JournalRecord record) {
        if (record instanceof JournalRecord.JournalInput input) {
            latestMillis = Math.max(latestMillis, input.at());
        }
        decisions.ifPresent(each -> each.take(record));
    }

    void closed(JournalRecord.Closing closing) {
        latestMillis = Math.max(latestMillis, Math.min(closing.at(), wanted.toMillis()));
    }

    /// @param openUntilMillis the run is under way, and all its records until this time were read
    /// @param notes reasons for which the replay ended
    JournalFilm end(OptionalLong openUntilMillis, List<String> notes) {
        List<String> remarks = new ArrayList<>(notes);
        long end = enough ? wanted.toMillis() : Math.max(latestMillis, openUntilMillis.orElse(0));
        end = Math.min(end, wanted.toMillis());
        long until = end;
        Optional<Film> film = recorder.map(each -> each.end(until)).filter(each -> !each.frames().isEmpty());
        return new JournalFilm(beganMillis, latestMillis, film,
                decisions.map(MessageDecisions::lines).orElse(List.of()),
                decisions.map(MessageDecisions::leftOut).orElse(0L), remarks);
    }
}
