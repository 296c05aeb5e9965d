package org.slipstream.spool;

import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.spool.box.Note;
import org.slipstream.spool.box.Note.What;
import org.slipstream.spool.register.Change;

import java.util.ArrayList;
import java.util.List;

/// Which changes the box notes, and which of them are safe with their note alone.
final class Notes {
    private Notes() {}

    static List<Note> of(List<Task.Lasting> tasks) {
        List<Note> notes = new ArrayList<>();
        for (Task.Lasting task : tasks) {
            task.changes().forEach(change -> add(change, notes));
        }
        return notes;
    }

    /// Those that stay true whatever happens to the task: who has had the letter or will never have it, and that nothing is left
    /// to be done for it.
    static List<Note> facts(Task.Lasting task) {
        return of(List.of(task)).stream().filter(note -> switch (note.what()) {
            case DELIVERED, FAILED, FINISHED -> true;
            case REPORTED, HELD, RELEASED -> false;
        }).toList();
    }

    private static void add(Change change, List<Note> notes) {
        switch (change) {
            case Change.Remove remove -> notes.add(new Note(What.FINISHED, remove.id()));
            case Change.Outcomes outcomes -> add(outcomes, notes);
            case Change.FailuresReported(QueueId id) -> notes.add(new Note(What.REPORTED, id));
            case Change.Hold(QueueId id, boolean held) -> notes.add(new Note(held ? What.HELD : What.RELEASED, id));
            default -> {
                // Nothing that a start could not find out by trying once more.
            }
        }
    }

    private static void add(Change.Outcomes change, List<Note> notes) {
        for (RecipientOutcome each : change.outcomes()) {
            switch (each.outcome()) {
                case Outcome.Delivered _ -> notes.add(new Note(What.DELIVERED, change.id(), each.number()));
                case Outcome.Failed _ -> notes.add(new Note(What.FAILED, change.id(), each.number()));
                case Outcome.Deferred _ -> {
                    // It will be tried again in any case.
                }
            }
        }
    }

    /// True when the register need not be synced before this is answered: the box's note says it again after a power cut, or
    /// what would be lost is the time of the next attempt. A lease is not among them: it must stand before the attempt.
    static boolean suffice(Task.Lasting task) {
        return task instanceof Task.Alteration && task.changes().stream().allMatch(change -> switch (change) {
            case Change.Remove _,Change.Outcomes _,Change.NextAttempt _,Change.KeepHost _,Change.ForgetHost _ -> true;
            default -> false;
        });
    }
}
