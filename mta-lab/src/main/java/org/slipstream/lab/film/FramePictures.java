package org.slipstream.lab.film;

import org.slipstream.core.QueueId;
import org.slipstream.lab.film.Frame.FrameCounts;
import org.slipstream.picture.FramePicture;
import org.slipstream.picture.FramePicture.ConnectionPart;
import org.slipstream.picture.FramePicture.DestinationPart;
import org.slipstream.picture.FramePicture.JobsPart;
import org.slipstream.picture.LivePictures.Curve;
import org.slipstream.picture.LivePictures.JobRow;
import org.slipstream.picture.RunPlayer.PlayedRun;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.place.PlaceSnapshot.ConnectionInfo;
import org.slipstream.qmgr.sched.JobsSnapshot.TransportJobs;
import org.slipstream.qmgr.trace.DestinationFigures;

import java.util.List;
import java.util.function.ToLongFunction;

/// The frames of a film as the player draws them.
public final class FramePictures {
    private FramePictures() {}

    /// @param of distinguishes the pictures of a page
    public static PlayedRun of(Film film, int step, String of) {
        return new PlayedRun("", queue(film), flow(film), picture(film.frame(step), of).markup());
    }

    /// Deliveries that wait, and those under way, at each moment.
    public static List<Curve> queue(Film film) {
        return List.of(each(film, "waiting", FrameCounts::waiting), each(film, "under way", FrameCounts::running));
    }

    /// Recipients that were delivered and deferred in each step.
    public static List<Curve> flow(Film film) {
        return List.of(perStep(film, "delivered", FrameCounts::delivered),
                perStep(film, "deferred", FrameCounts::deferred));
    }

    private static Curve each(Film film, String name, ToLongFunction<FrameCounts> count) {
        return new Curve(name,
                film.frames().stream().mapToDouble(frame -> count.applyAsLong(frame.counts())).toArray());
    }

    private static Curve perStep(Film film, String name, ToLongFunction<FrameCounts> count) {
        double[] sums = each(film, name, count).values();
        double[] growth = new double[sums.length];
        for (int i = 1; i < sums.length; i++) {
            growth[i] = sums[i] - sums[i - 1];
        }
        return new Curve(name, growth);
    }

    private static FramePicture picture(Frame frame, String of) {
        return new FramePicture(of, summary(frame.counts()),
                frame.jobs().transports().stream().filter(each -> each.jobs() > 0 || each.preemptions() > 0)
                        .map(FramePictures::jobs).toList(),
                frame.destinations().stream().map(FramePictures::destination).toList(), frame.furtherDestinations(),
                frame.connections().stream().map(FramePictures::connection).toList());
    }

    private static String summary(FrameCounts counts) {
        return counts.active() + " messages in memory, " + counts.waiting() + " deliveries waiting, "
                + counts.running() + " under way; " + counts.delivered() + " recipients delivered since the start, "
                + counts.deferred() + " deferred, " + counts.failed() + " failed.";
    }

    private static JobsPart jobs(TransportJobs jobs) {
        return new JobsPart(jobs.transport(), jobs.dead(), jobs.slotCost(), jobs.jobs(), jobs.preemptions(),
                jobs.first().stream()
                        .map(job -> new JobRow(job.id().toString(), job.level(),
                                job.passed().map(QueueId::toString).orElse(""), job.selected(), job.left(),
                                job.running(), job.balance(), job.current()))
                        .toList());
    }

    private static DestinationPart destination(DestinationFigures each) {
        String state = switch (each.state()) {
            case DestinationState.Live _ -> "live";
            case DestinationState.Dead(long _, var reason) -> "dead: " + reason;
            case DestinationState.Suspended _ -> "paused";
        };
        return new DestinationPart(each.transport() + "/" + each.nextHop(), state, each.window(), each.limit(),
                each.running(), each.waiting());
    }

    private static ConnectionPart connection(ConnectionInfo each) {
        return new ConnectionPart(each.number(), each.host().toString(),
                !each.up() ? "opening" : each.queued() > 0 ? "busy" : "idle", each.queued(),
                String.join(" ", each.destinations().stream().limit(3).toList()));
    }
}
