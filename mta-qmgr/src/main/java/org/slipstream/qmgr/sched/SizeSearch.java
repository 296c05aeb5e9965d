package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/// The candidate search by size classes. Its decisions equal those of a plain
/// search over all jobs, which the tests have.
///
/// **Correctness.** The score is age divided by total size. Among jobs of the same total only age
/// counts, so only the oldest of each size can win. Real queues hold many jobs and few sizes: a
/// hundred thousand single messages are one size. So jobs are grouped in *size classes*, one for
/// each (entries left, total entries), and the search examines one job per class, smallest need
/// first. It ends when the need exceeds the limit, or when even the oldest job of all could not win
/// with a size as large as the need.
///
/// **The job of a class** is the oldest one behind the current job. The list is in order of age
/// except for preempting jobs, so within a class place and age nearly always agree. For those jobs
/// the place suffices: the next one after the current job, however many are before it. The few
/// others are in a separate list and are examined one by one.
///
/// **Members** of size classes are leaves on the list with entries left, except the job served
/// last: it is no candidate while it is the current one, and its rest changes with every entry.
/// Blocked jobs stay members, since most of them are before the current job, where no search looks.
/// A blocked job that the search meets is set aside, and added again when the marks are void.
///
/// **Repeated questions.** While the current job is served its limit does not change: one entry
/// less to come, one unit more saved. Ages are whole seconds, so within a second the question is
/// the same for each of its entries, and the answer is updated instead of searched for: a new job
/// is compared with the best, and a removed job matters only when it was the best. Postfix caches
/// the answer in the same way but discards it with every new message.
///
/// **Cost.** O(log jobs) for a change; O(distinct sizes within the limit) for a search, at most
/// once a second and after each preemption.
final class SizeSearch implements CandidateSearch {
    /// Size classes of untouched jobs below this size are found by index.
    private static final int SMALL = 64;

    private final JobList jobs;
    private final Blockers blockers;
    private final Map<Long, SizeClass> sizeClasses = new TreeMap<>();
    private final @Nullable SizeClass[] small = new SizeClass[SMALL];
    private final List<Job> setAside = new ArrayList<>();
    private @Nullable Job served;

    /// The last question, or null when its answer is void.
    private @Nullable Question asked;

    /// The answer, which is up to date as long as there is a question.
    private @Nullable Job best;
    private double bestScore;

    private record Question(Job current, int fit, long second) {
        boolean isSame(Job cur, int fits, long nowSecond) {
            return cur == current && fits == fit && nowSecond == second;
        }
    }

    SizeSearch(JobList jobs, Blockers blockers) {
        this.jobs = jobs;
        this.blockers = blockers;
    }

    @Override
    public Optional<Job> best(Job cur, int fits, long nowSecond) {
        serves(cur);
        boolean same = asked != null && asked.isSame(cur, fits, nowSecond);
        if (!same || best != null && blockers.isMarked(best)) {
            best = null;
            bestScore = 0;
            Question question = new Question(cur, fits, nowSecond);
            search(question);
            asked = question;
        }
        return Optional.ofNullable(best);
    }

    private void search(Question question) {
        // The current job is on the list, so there is an oldest.
        long oldest = CandidateSearch.age(Objects.requireNonNull(jobs.oldest), question.second());
        List<Job> blocked = new ArrayList<>(0);
        for (SizeClass sizeClass : sizeClasses.values()) {
            if (sizeClass.need > question.fit() || oldest / (double) sizeClass.need < bestScore) {
                break;
            }
            Job job = sizeClass.inOrder.higher(question.current());
            while (job != null && blockers.isMarked(job)) {
                blocked.add(job);
                job = sizeClass.inOrder.higher(job);
            }
            if (job != null) {
                compare(job, sizeClass, question);
            }
            sizeClass.outOfOrder.forEach(each -> compareIfBehind(each, sizeClass, question));
        }
        blocked.forEach(this::setAside);
    }

    private void compareIfBehind(Job job, SizeClass sizeClass, Question question) {
        if (job.label > question.current().label && !blockers.isMarked(job)) {
            compare(job, sizeClass, question);
        }
    }

    private void compare(Job job, SizeClass sizeClass, Question question) {
        double score = CandidateSearch.age(job, question.second()) / (double) sizeClass.total;
        if (score > bestScore || best != null && score == bestScore && job.label < best.label) {
            best = job;
            bestScore = score;
        }
    }

    @Override
    public void changed(Job job) {
        int need = job.mostEntriesLeft();
        boolean mayBeCandidate = job != served && job.isOnList() && job.isLeaf() && need > 0;
        if (!mayBeCandidate) {
            remove(job);
            return;
        }
        int total = job.mostEntries();
        SizeClass sizeClass = job.sizeClass;
        if (sizeClass == null || sizeClass.need != need || sizeClass.total != total) {
            remove(job);
            sizeClass = sizeClass(need, total);
            add(job, sizeClass);
        }
        if (asked != null && need <= asked.fit()) {
            compareIfBehind(job, sizeClass, asked);
        }
    }

    private SizeClass sizeClass(int need, int total) {
        if (need != total || need >= SMALL) {
            SizeClass known = sizeClasses.get(SizeClass.key(need, total));
            return known == null ? new SizeClass(need, total) : known;
        }
        SizeClass known = small[need];
        if (known == null) {
            known = new SizeClass(need, total);
            small[need] = known;
        }
        return known;
    }

    private void add(Job job, SizeClass sizeClass) {
        if (sizeClass.isEmpty()) {
            sizeClasses.put(sizeClass.key, sizeClass);
        }
        sizeClass.add(job);
        job.sizeClass = sizeClass;
    }

    @Override
    public void leaves(Job job) {
        remove(job);
        if (asked != null && asked.current() == job) {
            asked = null;
        }
    }

    @Override
    public void serves(Job job) {
        if (served != job) {
            Job before = served;
            served = job;
            remove(job);
            if (before != null) {
                changed(before);
            }
        }
    }

    @Override
    public void unblocked() {
        asked = null;
        List<Job> again = List.copyOf(setAside);
        setAside.clear();
        again.forEach(this::changed);
    }

    private void setAside(Job job) {
        remove(job);
        setAside.add(job);
    }

    private void remove(Job job) {
        if (job.sizeClass != null) {
            job.sizeClass.remove(job);
            if (job.sizeClass.isEmpty()) {
                sizeClasses.remove(job.sizeClass.key);
            }
            job.sizeClass = null;
            if (job == best) {
                asked = null;
            }
        }
    }
}
