package org.slipstream.console;

import org.slipstream.admin.ApiAccess;
import org.slipstream.admin.ApiCaller;
import org.slipstream.admin.ApiResponse;
import org.slipstream.admin.operations.ExplainOperations.GateView;
import org.slipstream.admin.operations.ExplainOperations.MessageExplanation;
import org.slipstream.admin.operations.ExplainOperations.ReasonCount;
import org.slipstream.admin.operations.ExplainOperations.SubjectExplanation;
import org.slipstream.admin.operations.FilmOperations.CurveView;
import org.slipstream.admin.operations.FilmOperations.DecisionLine;
import org.slipstream.admin.operations.FilmOperations.FilmView;
import org.slipstream.admin.operations.FilmOperations.FrameView;
import org.slipstream.admin.operations.FilmOperations.HostConnectionView;
import org.slipstream.admin.operations.FilmOperations.JournalView;
import org.slipstream.admin.operations.FilmOperations.LabRunView;
import org.slipstream.admin.operations.FilmOperations.LabView;
import org.slipstream.admin.operations.FilmOperations.PhaseLine;
import org.slipstream.admin.operations.FilmOperations.ScenarioView;
import org.slipstream.admin.operations.HostOperations.ConnectionView;
import org.slipstream.admin.operations.HostOperations.HostView;
import org.slipstream.admin.operations.HostOperations.Hosts;
import org.slipstream.admin.operations.HostOperations.StateView;
import org.slipstream.admin.operations.Operations.ConnectionsView;
import org.slipstream.admin.operations.Operations.Figures;
import org.slipstream.admin.operations.Operations.MessageCount;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.PhaseView;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.admin.operations.Operations.RecipientView;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.ServerLog.ServerEvent;
import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.admin.operations.SuppressionOperations.SuppressionPart;
import org.slipstream.admin.operations.SuppressionOperations.SuppressionView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.admin.operations.ViewOperations.DestinationDetails;
import org.slipstream.admin.operations.ViewOperations.ErrorView;
import org.slipstream.admin.operations.ViewOperations.JobView;
import org.slipstream.admin.operations.ViewOperations.PreemptionView;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.admin.operations.ViewOperations.ShapePage;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.admin.operations.ViewOperations.TransportJobsView;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.core.queue.MessageTrace.TraceEvent;
import org.slipstream.core.queue.MessageTrace.TraceResult;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/// An API whose every text is hostile: it would run as a script on a page that does not escape it.
final class FakeApi implements ApiAccess {
    static final String HOSTILE = "<script>alert('x')</script>\"'&";

    final List<String> orders = new CopyOnWriteArrayList<>();
    /// Questions, as `ann queue?limit=50`.
    final List<String> asked = new CopyOnWriteArrayList<>();
    volatile long matching = 3;
    volatile int refusal;
    /// The latest question for a film.
    volatile String film = "";

    @Override
    public ApiResponse ask(String method, String path, String query, ApiCaller caller) {
        if (method.equals("POST")) {
            orders.add(caller.name() + " " + path + (query.isEmpty() ? "" : "?" + query));
            return refusal > 0
                    ? ApiResponse.error(refusal, HOSTILE)
                    : ok(path.matches("queue/[a-z]+") ? new MessageCount(matching, Optional.empty()) : Map.of());
        }
        asked.add(caller.name() + " " + path + (query.isEmpty() ? "" : "?" + query));
        return switch (path) {
            case "counters" -> ok(Map.of("mtaReceivedMessages", 12L));
            case "destination" -> ok(new DestinationDetails(HOSTILE, List.of(busy()),
                    List.of(new ErrorView(HOSTILE, 3, "2026-11-27T09:00:00Z", "2026-11-27T09:30:00Z"))));
            case "destinations" -> ok(new Activity("2026-11-27T10:00:00.123Z", HOSTILE, "2026-11-27T09:00:00Z",
                    Optional.empty(), Optional.of(1L), 2, new ConnectionsView(100, 3, 1, 1, 75),
                    Map.of("mtaReceivedMessages", 12L), List.of(suspension()), List.of(busy()), List.of(), 0,
                    List.of(new TroubleView("index", "2026-11-27T09:00:00Z", HOSTILE, HOSTILE))));
            case "queue/shape" -> ok(new ShapePage(List.of(new ShapeRow(HOSTILE,
                    List.of(1L, 2L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 4L), 0, HOSTILE, HOSTILE, "")), Optional.empty()));
            case "queue" -> ok(new QueuePage(List.of(message()), Optional.of("1m8"), 2));
            case "queue/count" -> ok(new MessageCount(matching, Optional.empty()));
            case "trace" -> ok(new TraceResult(List.of(trace()), true, ""));
            case "explain" -> query.startsWith("message")
                    ? ok(new MessageExplanation("1m7", "retry", HOSTILE, "", HOSTILE, HOSTILE,
                            List.of(new GateView("retry", "closed", true, "", HOSTILE),
                                    new GateView("window", "not-asked", false, "", HOSTILE)),
                            List.of(), List.of(), HOSTILE))
                    : ok(new SubjectExplanation("destination", HOSTILE, HOSTILE, 4, false,
                            List.of(new ReasonCount("retry", 4, HOSTILE)), "", "", HOSTILE));
            case "scheduler" -> ok(new SchedulerView("2026-11-27T10:00:00Z", List.of(new TransportJobsView(HOSTILE,
                    Optional.empty(), true, 5, 2, 7,
                    List.of(new JobView("2", 1, "1", 0, 2, 0, 0, true), new JobView("1", 0, "", 30, 70, 4, -12, false)),
                    List.of(new PreemptionView(7, "2026-11-27T10:00:00Z", "1", "2", 1, -12))))));
            case "destdb" -> ok(new Hosts(List.of(new HostView(HOSTILE, HOSTILE,
                    List.of(new StateView("retry", HOSTILE, "", "", 2, HOSTILE)), List.of())), 100, 1, 5, 0, 0));
            case "suspensions" -> ok(Map.of("suspensions", List.of(suspension())));
            case "journal" -> journal(query);
            case "lab/scenarios" -> ok(Map.of("scenarios", List.of(new ScenarioView("ten-two-two", HOSTILE))));
            case "lab/run", "lab/what-if" -> labRun(query);
            case "log" -> ok(Map.of("events",
                    List.of(new ServerEvent("2026-11-27T10:00:00Z", "warn", "login-refused", HOSTILE))));
            case "suppressions" -> ok(new SuppressionPart(List.of(new SuppressionView("bob@far.example", HOSTILE,
                    "manual", HOSTILE, "2026-11-27T10:00:00Z", "")), 1, Optional.of(HOSTILE)));
            case "limits" -> ok(Map.of("limits", List.of()));
            default -> path.startsWith("queue/")
                    ? ok(message())
                    : ApiResponse.error(404, HOSTILE);
        };
    }

    private ApiResponse journal(String query) {
        film = query;
        if (refusal > 0) {
            return ApiResponse.error(refusal, HOSTILE);
        }
        List<DecisionLine> decisions = Collections.nCopies(200, new DecisionLine("2026-11-27T09:00:00Z", HOSTILE));
        return ok(new JournalView("2026-11-27T08:00:00Z", "2026-11-27T10:00:00Z", Optional.of(film(100)), HOSTILE,
                List.of(new PhaseLine("2026-11-27T09:00:00Z", "window", HOSTILE)), decisions, 7, List.of(HOSTILE)));
    }

    private ApiResponse labRun(String query) {
        film = query;
        return refusal > 0
                ? ApiResponse.error(refusal, HOSTILE)
                : ok(new LabView(HOSTILE, HOSTILE,
                        List.of(new LabRunView(HOSTILE, film(100), List.of(HOSTILE)),
                                new LabRunView("order=fifo", film(90), List.of())),
                        List.of(HOSTILE), List.of(List.of(HOSTILE))));
    }

    /// An interval of 120 steps in two minutes, of which some are known.
    private static FilmView film(int known) {
        List<Double> values = Collections.nCopies(known, 3.0);
        List<JobView> jobs = IntStream.range(0, 40)
                .mapToObj(i -> new JobView(HOSTILE + i, 1, HOSTILE, 10, 20, 1, 5, i == 0)).toList();
        return new FilmView(1_795_770_000_000L, 1_795_770_120_000L, 120, known, 42,
                List.of(new CurveView("waiting", values), new CurveView("under way", values),
                        new CurveView(HOSTILE, values), new CurveView("deferred", values)),
                new FrameView(1_795_770_042_000L, 3, 4, 5, 6, 7, 8,
                        new SchedulerView("", List.of(new TransportJobsView("smtp", Optional.empty(), true, 5, 41, 7,
                                jobs, List.of()))),
                        List.of(busy()), 3,
                        List.of(new HostConnectionView(HOSTILE,
                                new ConnectionView(1, "busy", 2, 1, 5, "", List.of(HOSTILE))))));
    }

    private static ApiResponse ok(Object body) {
        return new ApiResponse(200, body, Map.of());
    }

    private static SuspensionView suspension() {
        return new SuspensionView("destination", HOSTILE, HOSTILE, HOSTILE, "2026-11-27T09:00:00Z", "");
    }

    private static BusyDestination busy() {
        return new BusyDestination("smtp", HOSTILE, "live", "", 5, 20, 2, 2, 4, "", HOSTILE, "2026-11-27T09:00:00Z");
    }

    private static MessageView message() {
        return new MessageView("1m7", HOSTILE, 20_000, "deferred", "2026-11-27T09:00:00Z", "", 2, HOSTILE, HOSTILE,
                new PhaseView("retry", "", "", Figures.NONE), Optional.empty(),
                List.of(new RecipientView(HOSTILE, "open", HOSTILE, HOSTILE)), SubmitterView.UNKNOWN,
                List.of(HOSTILE), "", "", Optional.empty());
    }

    private static MessageTrace trace() {
        TraceEvent deferred = new TraceEvent("2026-11-27T09:00:00Z", "deferred", List.of(HOSTILE), HOSTILE, HOSTILE, 12,
                HOSTILE);
        return new MessageTrace("1m7", HOSTILE, List.of(HOSTILE), 20_000, SubmitterView.UNKNOWN, HOSTILE, false,
                List.of(deferred, deferred, deferred));
    }
}
