package org.slipstream.qmgr.run;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.qmgr.QmgrTrace;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.Line;
import org.slipstream.qmgr.sched.Message;

import java.util.Locale;

/// Writes what happens to windows into the log, one line for each event (Postfix
/// `destination_concurrency_feedback_debug`, PF-13), and who stepped in front of whom.
public final class FeedbackLog implements QmgrTrace {
    private static final Logger log = LoggerFactory.getLogger(FeedbackLog.class);

    @Override
    public void feedback(Line line, Feedback event, int running, Destination.Figures figures) {
        if (log.isInfoEnabled()) {
            log.info(text(line, event, running, figures));
        }
    }

    @Override
    public void preempted(Message current, Message stepping, String transport, int level, int slots) {
        log.info("queue={} passes={} transport={} level={} slots={}", stepping.id(), current.id(), transport, level,
                slots);
    }

    static String text(Line line, Feedback event, int running, Destination.Figures figures) {
        return String.format(Locale.ROOT,
                "destination=%s feedback=%s limit=%d window=%d running=%d success=%.4g failure=%.4g failed_cohorts=%.4g",
                line, event.name().toLowerCase(Locale.ROOT), figures.limit(), figures.window(), running,
                figures.success(),
                figures.failure(), figures.failedCohorts());
    }
}
