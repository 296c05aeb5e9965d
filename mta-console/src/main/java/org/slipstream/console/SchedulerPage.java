package org.slipstream.console;

import org.slipstream.admin.operations.ViewOperations.JobView;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.admin.operations.ViewOperations.TransportJobsView;
import org.slipstream.picture.LivePictures;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// The scheduler at work: the list of jobs of each transport, the slots that they have earned and
/// spent, and the latest preemptions.
final class SchedulerPage implements ConsolePage {
    private static final Template PAGE = Template.of(SchedulerPage.class, "/console/scheduler.html");

    @Override
    public PageView view(PageRequest request) {
        SchedulerView view = request.api().get(SchedulerView.class, "scheduler", "");
        List<Map<String, Object>> transports = view.transports().stream()
                .sorted(Comparator.comparingInt(TransportJobsView::jobs).thenComparing(TransportJobsView::preemptions)
                        .reversed())
                .map(SchedulerPage::transport).toList();
        return PageView.moving("Scheduler",
                PAGE.markup(Map.of("at", Moments.text(view.at()), "transports", transports, "none",
                        transports.isEmpty() ? List.of("") : List.of())),
                Markup.NONE);
    }

    private static Map<String, Object> transport(TransportJobsView jobs) {
        return Map.of("transport", jobs.transport() + jobs.shard().map(shard -> " of shard " + shard).orElse(""),
                "picture",
                LivePictures.jobs(jobs.transport() + jobs.shard().map(shard -> "-" + shard).orElse(""),
                        FilmPlayer.rows(jobs), jobs.slotCost()),
                "jobs", jobs.jobs(), "dead",
                jobs.dead() ? List.of("") : List.of(), "preemptions", jobs.preemptions(), "slot-cost", jobs.slotCost(),
                "rows", jobs.first().stream().map(SchedulerPage::row).toList(), "latest",
                jobs.latest().stream()
                        .map(each -> Map.of("number", each.number(), "at", Moments.text(each.at()).substring(11),
                                "stepping", each.stepping(),
                                "passed", each.passed(), "level", each.level(), "balance", each.balance()))
                        .toList());
    }

    private static Map<String, Object> row(JobView job) {
        return Map.of("id", job.id(), "level", job.level(), "passed", job.passed(), "selected", job.selected(), "left",
                job.left(), "running", job.running(), "balance", job.balance());
    }
}
