package org.slipstream.qmgr.run;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.Locale;

/// The feedback debug log (Postfix `destination_concurrency_feedback_debug`, PF-13): one line for
/// each change of a window, and one for each preemption.
///
/// `event=feedback destination=smtp/far.example kind=fail limit=20 window=4 running=5
/// feedback=-1.000 success=0.000 failure=0.000 failed-cohorts=0.2000`
public final class FeedbackLog implements QmgrTrace {
    private static final Logger log = LoggerFactory.getLogger(FeedbackLog.class);

    @Override
    public void feedback(DestinationQueue queue, FeedbackEvent event, int running, Destination.FlowFigures figures) {
        if (log.isInfoEnabled()) {
            log.info(text(queue, event, running, figures));
        }
    }

    @Override
    public void preempted(Message current, Message stepping, String transport, int level, int slots) {
        log.info("event=preempted queue={} passes={} transport={} depth={} slots={}", stepping.id(), current.id(),
                transport, level, slots);
    }

    private static String text(DestinationQueue queue, FeedbackEvent event, int running,
            Destination.FlowFigures figures) {
        return String.format(Locale.ROOT,
                "event=feedback destination=%s kind=%s limit=%d window=%d running=%d"
                        + " feedback=%.4g success=%.4g failure=%.4g failed-cohorts=%.4g",
                queue, event.name().toLowerCase(Locale.ROOT).replace('_', '-'), figures.limit(), figures.window(),
                running, figures.feedback(), figures.success(), figures.failure(), figures.failedCohorts());
    }
}
