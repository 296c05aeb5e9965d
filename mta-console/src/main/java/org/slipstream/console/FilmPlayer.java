package org.slipstream.console;

import org.slipstream.admin.operations.FilmOperations.CurveView;
import org.slipstream.admin.operations.FilmOperations.FilmView;
import org.slipstream.admin.operations.FilmOperations.FrameView;
import org.slipstream.admin.operations.FilmOperations.HostConnectionView;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.admin.operations.ViewOperations.TransportJobsView;
import org.slipstream.picture.FramePicture;
import org.slipstream.picture.FramePicture.ConnectionPart;
import org.slipstream.picture.FramePicture.DestinationPart;
import org.slipstream.picture.FramePicture.JobsPart;
import org.slipstream.picture.LivePictures.Curve;
import org.slipstream.picture.LivePictures.JobRow;
import org.slipstream.picture.RunPlayer;
import org.slipstream.picture.RunPlayer.PlayedRun;
import org.slipstream.picture.RunPlayer.SliderForm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.LongFunction;

/// The views of films as the player draws them.
final class FilmPlayer {
    private static final int QUEUE_CURVES = 2;
    /// So that two runs side by side are a page that loads at once.
    private static final int MOST_JOBS = 20;
    private static final int MOST_CONNECTIONS = 20;

    private FilmPlayer() {}

    /// @param films by their titles, of the same interval
    /// @param query of the page without the step
    /// @param time in words
    static RunPlayer of(SequencedMap<String, FilmView> films, String path, SequencedMap<String, String> query,
            LongFunction<String> time) {
        FilmView first = films.firstEntry().getValue();
        List<PlayedRun> runs = new ArrayList<>();
        films.forEach((title, film) -> runs.add(new PlayedRun(title, curves(film.curves().subList(0, QUEUE_CURVES)),
                curves(film.curves().subList(QUEUE_CURVES, film.curves().size())),
                picture(film.frame(), films.size() > 1 ? Integer.toString(runs.size() + 1) : "").markup())));
        int last = films.values().stream().mapToInt(film -> film.known() - 1).max().orElse(0);
        int step = films.values().stream().mapToInt(FilmView::step).max().orElse(0);
        return new RunPlayer(step, last, first.steps(), time.apply(first.fromMillis()), time.apply(first.toMillis()),
                time.apply(first.frame().atMillis()), runs, to -> path + "?" + FormText.query(with(query, to)),
                Optional.of(new SliderForm(path, query)));
    }

    private static Map<String, String> with(Map<String, String> query, int step) {
        Map<String, String> all = new LinkedHashMap<>(query);
        all.put("step", Integer.toString(step));
        return all;
    }

    private static List<Curve> curves(List<CurveView> views) {
        return views.stream()
                .map(each -> new Curve(each.name(), each.values().stream().mapToDouble(Double::doubleValue).toArray()))
                .toList();
    }

    private static FramePicture picture(FrameView frame, String of) {
        return new FramePicture(of,
                frame.active() + " messages in memory, " + frame.waiting() + " deliveries waiting, " + frame.running()
                        + " under way; " + frame.delivered() + " recipients delivered since the start, "
                        + frame.deferred() + " deferred, " + frame.failed() + " failed.",
                frame.scheduler().transports().stream().filter(each -> each.jobs() > 0 || each.preemptions() > 0)
                        .map(each -> new JobsPart(each.transport(), each.dead(), each.slotCost(), each.jobs(),
                                each.preemptions(), rows(each).stream().limit(MOST_JOBS).toList()))
                        .toList(),
                frame.destinations().stream().map(FilmPlayer::destination).toList(), frame.furtherDestinations(),
                frame.connections().stream().limit(MOST_CONNECTIONS).map(FilmPlayer::connection).toList());
    }

    private static DestinationPart destination(BusyDestination each) {
        return new DestinationPart(each.transport() + "/" + each.nextHop(),
                each.state() + (each.lastError().isEmpty() ? "" : ": " + each.lastError()), each.window(), each.limit(),
                each.running(), each.waiting());
    }

    private static ConnectionPart connection(HostConnectionView each) {
        return new ConnectionPart(each.connection().number(), each.host(), each.connection().state(),
                each.connection().queued(),
                String.join(" ", each.connection().destinations().stream().limit(3).toList()));
    }

    static List<JobRow> rows(TransportJobsView jobs) {
        return jobs.first().stream()
                .map(job -> new JobRow(job.id(), job.level(), job.passed(), job.selected(), job.left(), job.running(),
                        job.balance(), job.current()))
                .toList();
    }
}
