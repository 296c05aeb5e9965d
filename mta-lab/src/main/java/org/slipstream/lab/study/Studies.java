package org.slipstream.lab.study;

import org.slipstream.lab.study.ServerModel.Balanced;
import org.slipstream.lab.study.ServerModel.Congested;
import org.slipstream.lab.study.ServerModel.Limited;
import org.slipstream.lab.study.ServerModel.Overflow;
import org.slipstream.lab.study.Study.Row;
import org.slipstream.lab.study.Study.Variation;
import org.slipstream.qmgr.flow.FeedbackVariant;

import java.util.List;
import java.util.Optional;

/// The studies: three published tables and one published sentence, with their conditions.
///
/// The source of the tables is Postfix `SCHEDULER_README`, section "Results for delivery to
/// concurrency limited servers". The sentence stands in its section "Limitations of less-than-1 per
/// delivery feedback".
public final class Studies {
    private static final int SERVER_LIMIT = 5;
    private static final int RECIPIENTS = 2_000;

    /// Ten times as many, because the timeout is ten times as long.
    private static final int MORE_RECIPIENTS = 20_000;

    /// The server's `listen(2)` backlog equals its process limit, and a queue holds more than its
    /// backlog. FreeBSD 6 admits a connection while the queue is not longer than 3/2 of the backlog
    /// (`sonewconn()`).
    static final int FREEBSD_QUEUE = 3 * SERVER_LIMIT / 2 + 1;

    /// Linux 2.6.23 admits a connection while the queue is not longer than the backlog
    /// (`sk_acceptq_is_full()`).
    static final int LINUX_QUEUE = SERVER_LIMIT + 1;

    public static final Study LIMITER = new Study("limiter", "A server that answers 421 to a sixth connection", 10,
            List.of(limited(FeedbackPair.PER_N, false, new PublishedFigures(16.5, 5.17, 0.38, 0, 0)),
                    limited(FeedbackPair.PER_N, true, new PublishedFigures(16.5, 5.17, 0.38, 0, 0)),
                    limited(FeedbackPair.PER_ROOT_OF_N, false, new PublishedFigures(24.5, 5.28, 0.45, 0, 0)),
                    limited(FeedbackPair.PER_ROOT_OF_N, true, new PublishedFigures(24.3, 5.28, 0.46, 0, 0)),
                    limited(FeedbackPair.ONE, false, new PublishedFigures(49.7, 5.63, 0.67, 0, 0)),
                    limited(FeedbackPair.ONE, true, new PublishedFigures(49.7, 5.68, 0.70, 0, 0))),
            "one changed condition", List.of(new Variation("as above", experiment -> experiment),
                    new Variation("slow refusal", experiment -> experiment.with(AssumedLatencies.distantServer())),
                    new Variation("postfix-source", experiment -> experiment.with(FeedbackVariant.POSTFIX_SOURCE)),
                    new Variation("plus-minus-one", experiment -> experiment.with(FeedbackVariant.PLUS_MINUS_ONE))));

    public static final Study CONNECT = new Study("connect", "A full listen queue and a connect timeout of 30 s", 10,
            List.of(fullQueue(FeedbackPair.PER_N, false, new PublishedFigures(9.9, 19.4, 0.49, 198, 0)),
                    fullQueue(FeedbackPair.PER_N, true, new PublishedFigures(10.3, 19.4, 0.49, 206, 0)),
                    fullQueue(FeedbackPair.PER_ROOT_OF_N, false, new PublishedFigures(10.4, 19.6, 0.59, 208, 0)),
                    fullQueue(FeedbackPair.PER_ROOT_OF_N, true, new PublishedFigures(10.6, 19.6, 0.61, 212, 0)),
                    fullQueue(FeedbackPair.ONE, false, new PublishedFigures(10.1, 19.5, 1.29, 202, 0)),
                    fullQueue(FeedbackPair.ONE, true, new PublishedFigures(10.8, 19.3, 1.57, 216, 0))),
            "the length of the listen queue",
            List.of(queueOf(5), queueOf(6), queueOf(7), queueOf(8)));

    public static final Study GREETING = new Study("greeting", "Connections without a greeting and a timeout of 300 s",
            3,
            List.of(noGreeting(FeedbackPair.PER_N, false, new PublishedFigures(1.16, 19.8, 0.37, 0, 230)),
                    noGreeting(FeedbackPair.PER_N, true, new PublishedFigures(1.36, 19.8, 0.36, 0, 272)),
                    noGreeting(FeedbackPair.PER_ROOT_OF_N, false, new PublishedFigures(1.21, 19.9, 0.23, 4, 238)),
                    noGreeting(FeedbackPair.PER_ROOT_OF_N, true, new PublishedFigures(1.36, 20.0, 0.23, 0, 272)),
                    noGreeting(FeedbackPair.ONE, false, new PublishedFigures(1.18, 20.0, 0.16, 0, 236)),
                    noGreeting(FeedbackPair.ONE, true, new PublishedFigures(1.39, 20.0, 0.16, 0, 278))),
            "nothing", List.of());

    public static final Study BALANCER = new Study("balancer", "A bad server among K behind one address", 10,
            List.of(balanced(FeedbackPair.PER_N, 5, PublishedFigures.about(5)),
                    balanced(FeedbackPair.PER_N, 10, PublishedFigures.about(10)),
                    balanced(FeedbackPair.PER_N, 15, PublishedFigures.about(15)),
                    balanced(FeedbackPair.PER_ROOT_OF_N, 5, PublishedFigures.NONE),
                    balanced(FeedbackPair.PER_ROOT_OF_N, 10, PublishedFigures.NONE),
                    balanced(FeedbackPair.ONE, 5, PublishedFigures.NONE),
                    balanced(FeedbackPair.ONE, 10, PublishedFigures.NONE),
                    balanced(FeedbackPair.QUARTER, 5, PublishedFigures.NONE),
                    balanced(FeedbackPair.QUARTER, 10, PublishedFigures.NONE)),
            "nothing", List.of());

    private Studies() {}

    /// In the order of the lesson; the document has the limiter last.
    public static List<Study> all() {
        return List.of(LIMITER, CONNECT, GREETING, BALANCER);
    }

    public static Optional<Study> find(String name) {
        return all().stream().filter(study -> study.name().equals(name)).findFirst();
    }

    private static Variation queueOf(int connections) {
        return new Variation("queue of " + connections,
                experiment -> experiment.with(new Congested(SERVER_LIMIT, connections, Overflow.SYN_DROPPED)));
    }

    private static Row limited(FeedbackPair feedback, boolean cached, PublishedFigures published) {
        return new Row(new Experiment(feedback, cached, RECIPIENTS, SERVER_LIMIT, new Limited(SERVER_LIMIT)),
                published);
    }

    private static Row balanced(FeedbackPair feedback, int servers, PublishedFigures published) {
        return new Row(new Experiment(feedback, false, RECIPIENTS, SERVER_LIMIT, new Balanced(servers)), published);
    }

    private static Row fullQueue(FeedbackPair feedback, boolean cached, PublishedFigures published) {
        return new Row(new Experiment(feedback, cached, RECIPIENTS, Experiment.CLIENT_LIMIT,
                new Congested(SERVER_LIMIT, FREEBSD_QUEUE, Overflow.SYN_DROPPED)), published);
    }

    private static Row noGreeting(FeedbackPair feedback, boolean cached, PublishedFigures published) {
        return new Row(new Experiment(feedback, cached, MORE_RECIPIENTS, Experiment.CLIENT_LIMIT,
                new Congested(SERVER_LIMIT, LINUX_QUEUE, Overflow.ACK_DROPPED)), published);
    }
}
