package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.spool.box.LetterBox;
import org.slipstream.spool.box.Note;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// The thread `spool-notes-0`: writes down what became of letters while the writer is busy with a group, so that a process that is
/// killed right then does not send them twice.
///
/// **What it is for.** Between the "250" of the next server and the note of it in our box nothing but memory knows that the letter has
/// arrived; a process killed in between sends it again (RFC 1047). The writer cannot be quicker than its running group, and a
/// group with letters waits for two syncs. But a killed process takes nothing from the operating system: what was *written* is
/// there, synced or not. So whatever comes while the writer is away is appended to the box at once, and not waited for.
///
/// **What it is not.** Safe: nobody is answered on the strength of it. The writer takes the same task with its next group, notes it
/// again, syncs and answers, as if this thread did not exist. A note that is there twice is read twice and means the same, and
/// what this thread could not write is written then. Only facts are noted early ([Notes#facts]); a hold and its release, say, must not
/// change places.
///
/// A start reads the box from the last letter on that the register knows. Early notes lie behind it, but for two seldom cases: more
/// than a thousand tasks wait before the outcome's own, or a segment is cleaned right then. They are missed then, and it is as it was.
///
/// **What it costs.** No sync; some 60 bytes for each handful of outcomes, and a write. An idle writer takes a task itself and begins with
/// its note, so this thread sleeps then. An outcome that the writer has taken by the time this thread wakes up is left to it.
final class EarlyNotes {
    private static final Logger LOG = LoggerFactory.getLogger(EarlyNotes.class);
    private static final Waiting END = new Waiting(List.of(), 0);

    private record Waiting(List<Note> notes, long group) {}

    private final LetterBox box;
    private final TaskQueue queue;
    private final BlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>();
    private final Thread thread;

    EarlyNotes(LetterBox box, TaskQueue queue) {
        this.box = box;
        this.queue = queue;
        thread = Thread.ofPlatform().daemon().name("spool-notes-0").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /// Any thread, after the task has been put into the queue.
    void consider(Task task) {
        if (task instanceof Task.Alteration alteration) {
            OptionalLong group = queue.runningGroup();
            List<Note> facts = group.isPresent() ? Notes.facts(alteration) : List.of();
            if (!facts.isEmpty()) {
                waiting.add(new Waiting(facts, group.getAsLong()));
            }
        }
    }

    private void run() {
        List<Waiting> batch = new ArrayList<>();
        while (true) {
            try {
                batch.clear();
                batch.add(waiting.take());
                waiting.drainTo(batch);
                if (batch.contains(END)) {
                    return;
                }
                write(batch);
            } catch (InterruptedException e) {
                LOG.warn("event=notes-interrupted");
            } catch (RuntimeException | Error e) {
                LOG.error("event=early-notes-failed", e);
            }
        }
    }

    private void write(List<Waiting> batch) {
        OptionalLong running = queue.runningGroup();
        List<Note> notes = batch.stream()
                .filter(each -> running.isPresent() && running.getAsLong() == each.group())
                .flatMap(each -> each.notes().stream()).toList();
        if (!notes.isEmpty()) {
            box.noteEarly(notes);
        }
    }

    /// Ends the thread; what it has not written is the writer's. Not by an interrupt, which would close the box's file.
    void close() {
        waiting.add(END);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
