package org.slipstream.qmgr.sched;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/// The candidate search by size instead of by walk; decides as [PlainSearch] does.
///
/// **Why it works.** The score is age divided by total size. Among jobs of the same total size it is age alone that
/// counts, so only the oldest of each size can win. Real queues hold many jobs and few sizes: a hundred thousand singles are
/// one size. So jobs stand on *shelves*, one for each (entries left, total entries), sorted by age and then by
/// place in the list, and the search looks at the first of each shelf, smallest need first. It ends as soon as the need is
/// more than fits, or when even the oldest job of all would not win with a size as large as the need.
///
/// **What is kept on shelves**: leaves that are on the list and have something left, except the job served last, which is no
/// candidate as long as it is the current one and whose rest changes with every entry. Blocked jobs are taken from their shelf when the search meets them and
/// are put back when the marks are void, so that marking costs nothing.
///
/// **The same question again.** While the current job is served its fit does not change: an entry less to come, a unit more
/// saved. So within a second (ages are whole seconds) the question is the same for each of its entries, and the answer is
/// kept up to date instead of searched for: a job that comes is compared with the best, a job that goes matters only
/// when it was the best. The original remembers in the same way but forgets with every message that comes in.
///
/// **Cost.** O(log jobs) for a change; O(distinct sizes that fit) for a search, at most once a second and after each
/// preemption.
final class SizeSearch implements CandidateSearch {
    /// The order of equals: by age as the score sees it, then by place.
    private static final Comparator<Job> OLDEST_FIRST = Comparator
            .<Job>comparingLong(job -> job.message.activatedSecond()).thenComparingLong(job -> job.label);

    /// Jobs with the same rest and the same total.
    static final class Shelf {
        final int need;
        final int total;
        final TreeSet<Job> jobs = new TreeSet<>(OLDEST_FIRST);

        Shelf(int need, int total) {
            this.need = need;
            this.total = total;
        }
    }

    private final Map<Long, Shelf> shelves = new TreeMap<>();
    private final List<Job> setAside = new ArrayList<>();
    private Job served;

    /// The last question and its answer, kept up to date.
    private Job current;
    private int fit;
    private long second;
    private Job best;
    private double bestScore;
    private boolean answered;

    @Override
    public Optional<Job> best(Job cur, int fits, long nowSecond) {
        serves(cur);
        boolean same = answered && cur == current && fits == fit && nowSecond == second;
        if (!same || best != null && best.isBlocked()) {
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
        long oldest = CandidateSearch.age(current.transport.jobs.oldest, second);
        List<Job> blocked = List.of();
        for (Shelf shelf : shelves.values()) {
            if (shelf.need > fit || oldest / (double) shelf.need < bestScore) {
                break;
            }
            for (Job job : shelf.jobs) {
                if (job.isBlocked()) {
                    blocked = blocked.isEmpty() ? new ArrayList<>() : blocked;
                    blocked.add(job);
                } else if (job.label > current.label) {
                    compare(job, shelf);
                    break;
                }
            }
        }
        blocked.forEach(this::setAside);
    }

    private void compare(Job job, Shelf shelf) {
        double score = CandidateSearch.age(job, second) / (double) shelf.total;
        if (score > bestScore || best != null && score == bestScore && job.label < best.label) {
            best = job;
            bestScore = score;
        }
    }

    @Override
    public void changed(Job job) {
        takeDown(job);
        int need = job.mostEntriesLeft();
        if (job != served && job.isOnList() && job.isLeaf() && need > 0) {
            job.shelf = shelves.computeIfAbsent(key(need, job.mostEntries()),
                    _ -> new Shelf(need, job.mostEntries()));
            job.shelf.jobs.add(job);
            if (answered && need <= fit && job.label > current.label && !job.isBlocked()) {
                compare(job, job.shelf);
            }
        }
    }

    @Override
    public void leaves(Job job) {
        takeDown(job);
        answered = answered && job != current;
    }

    @Override
    public void serves(Job job) {
        if (served != job) {
            Job before = served;
            served = job;
            takeDown(job);
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
        takeDown(job);
        setAside.add(job);
    }

    private void takeDown(Job job) {
        if (job.shelf != null) {
            job.shelf.jobs.remove(job);
            if (job.shelf.jobs.isEmpty()) {
                shelves.remove(key(job.shelf.need, job.shelf.total));
            }
            job.shelf = null;
            answered = answered && job != best;
        }
    }

    private static long key(int need, int total) {
        return (long) need << 32 | total;
    }
}
