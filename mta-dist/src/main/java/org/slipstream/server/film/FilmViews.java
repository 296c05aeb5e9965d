package org.slipstream.server.film;

import org.slipstream.admin.operations.FilmOperations.CurveView;
import org.slipstream.admin.operations.FilmOperations.FilmView;
import org.slipstream.admin.operations.FilmOperations.FrameView;
import org.slipstream.admin.operations.FilmOperations.HostConnectionView;
import org.slipstream.admin.operations.FilmOperations.PhaseLine;
import org.slipstream.admin.operations.FilmOperations.WantedMoment;
import org.slipstream.admin.operations.ViewOperations.JobView;
import org.slipstream.admin.operations.ViewOperations.PreemptionView;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.admin.operations.ViewOperations.TransportJobsView;
import org.slipstream.core.SettingsRecords;
import org.slipstream.lab.film.Film;
import org.slipstream.lab.film.Frame;
import org.slipstream.lab.film.Frame.FrameCounts;
import org.slipstream.lab.film.FramePictures;
import org.slipstream.picture.LivePictures.Curve;
import org.slipstream.qmgr.trace.QmgrSnapshot.ActiveMessage;
import org.slipstream.server.view.Views;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/// Films as the API shows them.
final class FilmViews {
    private static final String NOT_ACTIVE = "not-active";

    private FilmViews() {}

    /// @param name of a message, from its queue id
    static FilmView view(Film film, WantedMoment moment, UnaryOperator<String> name) {
        int step = step(film, moment);
        return new FilmView(film.interval().fromMillis(), film.interval().toMillis(), film.interval().steps(),
                film.frames().size(), step,
                Stream.concat(FramePictures.queue(film).stream(), FramePictures.flow(film).stream())
                        .map(FilmViews::view).toList(),
                view(film.frame(step), name));
    }

    /// The last known moment, unless another one is wanted.
    static int step(Film film, WantedMoment moment) {
        int wanted = moment.step().isPresent()
                ? moment.step().getAsInt()
                : moment.atMillis().isPresent()
                        ? film.interval().step(moment.atMillis().getAsLong())
                        : Integer.MAX_VALUE;
        return Math.min(wanted, film.frames().size() - 1);
    }

    private static CurveView view(Curve curve) {
        return new CurveView(curve.name(), Arrays.stream(curve.values()).boxed().toList());
    }

    private static FrameView view(Frame frame, UnaryOperator<String> name) {
        FrameCounts counts = frame.counts();
        SchedulerView scheduler = Views.scheduler(frame.jobs(), frame.atMillis());
        return new FrameView(frame.atMillis(), counts.active(), counts.waiting(), counts.running(), counts.delivered(),
                counts.deferred(), counts.failed(),
                new SchedulerView(scheduler.at(),
                        scheduler.transports().stream().map(each -> named(each, name)).toList()),
                frame.destinations().stream().map(Views::destination).toList(), frame.furtherDestinations(),
                frame.connections().stream()
                        .map(each -> new HostConnectionView(each.host().toString(), Views.connection(each))).toList());
    }

    private static TransportJobsView named(TransportJobsView jobs, UnaryOperator<String> name) {
        List<JobView> first = jobs.first().stream()
                .map(job -> SettingsRecords.with(
                        SettingsRecords.with(job, "id", name.apply(job.id())), "passed",
                        job.passed().isEmpty() ? "" : name.apply(job.passed())))
                .toList();
        List<PreemptionView> latest = jobs.latest().stream()
                .map(each -> SettingsRecords.with(
                        SettingsRecords.with(each, "passed", name.apply(each.passed())), "stepping",
                        name.apply(each.stepping())))
                .toList();
        return SettingsRecords.with(SettingsRecords.with(jobs, "first", first), "latest", latest);
    }

    /// The phases of the wanted message, each with the first moment at which it was seen.
    static List<PhaseLine> phases(Film film) {
        List<PhaseLine> lines = new ArrayList<>();
        for (Frame frame : film.frames()) {
            Optional<ActiveMessage> message = frame.about();
            String phase = message.map(each -> each.phase().code().word()).orElse(NOT_ACTIVE);
            if (lines.isEmpty() || !lines.getLast().phase().equals(phase)) {
                lines.add(new PhaseLine(moment(frame.atMillis()), phase, message.map(ActiveMessage::why).orElse("")));
            }
        }
        return lines;
    }

    static String moment(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
