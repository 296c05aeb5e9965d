package org.slipstream.console;

import org.slipstream.admin.ApiAccess;
import org.slipstream.admin.ApiCaller;
import org.slipstream.admin.ApiResponse;
import org.slipstream.admin.operations.EventOperations.ServerEvent;
import org.slipstream.admin.operations.ExplainOperations.GateView;
import org.slipstream.admin.operations.ExplainOperations.MessageExplanation;
import org.slipstream.admin.operations.ExplainOperations.ReasonCount;
import org.slipstream.admin.operations.ExplainOperations.SubjectExplanation;
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
import org.slipstream.admin.operations.StandingOrders.SuspensionView;
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

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// An API whose every text is hostile: it would run as a script on a page that does not escape it.
final class FakeApi implements ApiAccess {
    static final String HOSTILE = "<script>alert('x')</script>\"'&";

    final List<String> orders = new CopyOnWriteArrayList<>();
    /// Questions, as `ann queue?limit=50`.
    final List<String> asked = new CopyOnWriteArrayList<>();
    volatile long matching = 3;
    volatile int refusal;

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
            case "events" -> ok(Map.of("events",
                    List.of(new ServerEvent("2026-11-27T10:00:00Z", "warn", "login-refused", HOSTILE))));
            case "limits" -> ok(Map.of("limits", List.of()));
            default -> path.startsWith("queue/")
                    ? ok(message())
                    : ApiResponse.error(404, HOSTILE);
        };
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
