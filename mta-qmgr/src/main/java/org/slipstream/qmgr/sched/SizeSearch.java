package org.slipstream.qmgr.sched;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The candidate search by size instead of by walk; decides as [PlainSearch] does.
///
/// **Why it works.** The score is age divided by total size. Among jobs of the same total size it is age alone that
/// counts, so only the oldest of each size can win. Real queues hold many jobs and few sizes: a hundred thousand singles are
/// one size. So jobs stand on *shelves*, one for each (entries left, total entries), and the search looks at one job of each
/// shelf, smallest need first. It ends as soon as the need is more than fits, or when even the oldest job of all would
/// not win with a size as large as the need.
///
/// **Which one of a shelf.** The oldest that stands behind the current job. The list is in order of age except for jobs that
/// stepped forward; so on a shelf, too, place and age nearly always agree. Where they do, the job is found by its place: the next one
/// after the current job's, however many stand in front of it. The few that do not fit into that order lie beside it and are
/// looked at one by one.
///
/// **What is kept on shelves**: leaves that are on the list and have something left, except the job served last, which is no
/// candidate as long as it is the current one and whose rest changes with every entry. Blocked jobs stay where they are: most of them
/// stand in front of the current job, where no search looks. One that the search does meet is set aside, and put back when the
/// marks are void.
///
/// **The same question again.** While the current job is served its fit does not change: an entry less to come, a unit more
/// saved. So within a second (ages are whole seconds) the question is the same for each of its entries, and the answer is
/// kept up to date instead of searched for: a job that comes is compared with the best, a job that goes matters only
/// when it was the best. The original remembers in the same way but forgets with every message that comes in.
///
/// **Cost.** O(log jobs) for a change; O(distinct sizes that fit) for a search, at most once a second and after each
/// preemption.
final class SizeSearch implements CandidateSearch {
    /// Shelves of whole jobs up to this size are found without looking for them.
    private static final int SMALL = 64;

    private final JobList jobs;
    private final Blockers blockers;
    private final Map<Long, SizeClass> sizeClasses = new TreeMap<>();
    private final SizeClass[] small = new SizeClass[SMALL];
    private final List<Job> setAside = new ArrayList<>();
    private Job served;

    /// The last question and its answer, kept up to date.
    private Job current;
    private int fit;
    private long second;
    private Job best;
    private double bestScore;
    private boolean answered;

    SizeSearch(JobList jobs, Blockers blockers) {
        this.jobs = jobs;
        this.blockers = blockers;
    }

    @Override
    public Optional<Job> best(Job cur, int fits, long nowSecond) {
        serves(cur);
        boolean same = answered && cur == current && fits == fit && nowSecond == second;
        if (!same || best != null && blockers.isMarked(best)) {
            current = cur;
            fit = fits;
            second = nowSecond;
            best = null;
            bestScore = 0;
            search();
            answered = true;
        }
        return Optional.ofNullable(best);
    }

    private void search() {
        long oldest = CandidateSearch.age(jobs.oldest, second);
        List<Job> blocked = new ArrayList<>(0);
        for (SizeClass sizeClass : sizeClasses.values()) {
            if (sizeClass.need > fit || oldest / (double) sizeClass.need < bestScore) {
                break;
            }
            Job job = sizeClass.inOrder.higher(current);
            while (job != null && blockers.isMarked(job)) {
                blocked.add(job);
                job = sizeClass.inOrder.higher(job);
            }
            if (job != null) {
                compare(job, sizeClass);
            }
            sizeClass.outOfOrder.forEach(each -> compareIfBehind(each, sizeClass));
        }
        blocked.forEach(this::setAside);
    }

    private void compareIfBehind(Job job, SizeClass sizeClass) {
        if (job.label > current.label && !blockers.isMarked(job)) {
            compare(job, sizeClass);
        }
    }

    private void compare(Job job, SizeClass sizeClass) {
        double score = CandidateSearch.age(job, second) / (double) sizeClass.total;
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
        if (job.sizeClass == null || job.sizeClass.need != need || job.sizeClass.total != total) {
            remove(job);
            add(job, sizeClass(need, total));
        }
        if (answered && need <= fit) {
            compareIfBehind(job, job.sizeClass);
        }
    }

    private SizeClass sizeClass(int need, int total) {
        if (need != total || need >= SMALL) {
            SizeClass known = sizeClasses.get(SizeClass.key(need, total));
            return known == null ? new SizeClass(need, total) : known;
        }
        if (small[need] == null) {
            small[need] = new SizeClass(need, total);
        }
        return small[need];
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
        answered = answered && job != current;
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
        answered = false;
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
            answered = answered && job != best;
        }
    }
}
