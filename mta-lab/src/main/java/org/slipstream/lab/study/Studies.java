package org.slipstream.lab.study;

import org.slipstream.lab.study.Door.Balanced;
import org.slipstream.lab.study.Door.Congested;
import org.slipstream.lab.study.Door.Limiter;
import org.slipstream.lab.study.Door.Overflow;
import org.slipstream.lab.study.Study.Row;
import org.slipstream.lab.study.Study.Variation;
import org.slipstream.qmgr.flow.FeedbackVariant;

import java.util.List;
import java.util.Optional;

/// The three tables, with the figures that were published, and one published sentence.
///
/// Source of figures and set-up: Postfix `SCHEDULER_README`, "Results for delivery to concurrency
/// limited servers"; of the sentence "Limitations of less-than-1 per delivery feedback".
public final class Studies {
    private static final int SERVER_LIMIT = 5;
    private static final int RECIPIENTS = 2_000;

    /// Ten times as many where the timeout is ten times as long.
    private static final int MORE_RECIPIENTS = 20_000;

    /// The server's process limit is its `listen(2)` backlog too, and a queue holds more than its
    /// backlog. FreeBSD 6 lets a connection in while the queue is not longer than one and a half
    /// times the backlog, `sonewconn()`.
    static final int FREEBSD_PLACES = 3 * SERVER_LIMIT / 2 + 1;

    /// Linux 2.6.23 lets one in while the queue is not longer than the backlog,
    /// `sk_acceptq_is_full()`.
    static final int LINUX_PLACES = SERVER_LIMIT + 1;

    public static final Study LIMITER = new Study("limiter", "A server that answers 421 to a sixth connection", 10,
            List.of(limited(FeedbackStyle.PER_N, false, new Published(16.5, 5.17, 0.38, 0, 0)),
                    limited(FeedbackStyle.PER_N, true, new Published(16.5, 5.17, 0.38, 0, 0)),
                    limited(FeedbackStyle.PER_ROOT_OF_N, false, new Published(24.5, 5.28, 0.45, 0, 0)),
                    limited(FeedbackStyle.PER_ROOT_OF_N, true, new Published(24.3, 5.28, 0.46, 0, 0)),
                    limited(FeedbackStyle.ONE, false, new Published(49.7, 5.63, 0.67, 0, 0)),
                    limited(FeedbackStyle.ONE, true, new Published(49.7, 5.68, 0.70, 0, 0))),
            "one thing that is changed", List.of(new Variation("as above", setup -> setup),
                    new Variation("slow refusal", setup -> setup.with(Habits.slow())),
                    new Variation("postfix-source", setup -> setup.with(FeedbackVariant.POSTFIX_SOURCE)),
                    new Variation("plus-minus-one", setup -> setup.with(FeedbackVariant.PLUS_MINUS_ONE))));

    public static final Study CONNECT = new Study("connect", "A full connection queue and a connect timeout of 30 s",
            10,
            List.of(full(FeedbackStyle.PER_N, false, new Published(9.9, 19.4, 0.49, 198, 0)),
                    full(FeedbackStyle.PER_N, true, new Published(10.3, 19.4, 0.49, 206, 0)),
                    full(FeedbackStyle.PER_ROOT_OF_N, false, new Published(10.4, 19.6, 0.59, 208, 0)),
                    full(FeedbackStyle.PER_ROOT_OF_N, true, new Published(10.6, 19.6, 0.61, 212, 0)),
                    full(FeedbackStyle.ONE, false, new Published(10.1, 19.5, 1.29, 202, 0)),
                    full(FeedbackStyle.ONE, true, new Published(10.8, 19.3, 1.57, 216, 0))),
            "the length of the queue",
            List.of(places(5), places(6), places(7), places(8)));

    public static final Study GREETING = new Study("greeting", "Connections without a greeting and a timeout of 300 s",
            3,
            List.of(silent(FeedbackStyle.PER_N, false, new Published(1.16, 19.8, 0.37, 0, 230)),
                    silent(FeedbackStyle.PER_N, true, new Published(1.36, 19.8, 0.36, 0, 272)),
                    silent(FeedbackStyle.PER_ROOT_OF_N, false, new Published(1.21, 19.9, 0.23, 4, 238)),
                    silent(FeedbackStyle.PER_ROOT_OF_N, true, new Published(1.36, 20.0, 0.23, 0, 272)),
                    silent(FeedbackStyle.ONE, false, new Published(1.18, 20.0, 0.16, 0, 236)),
                    silent(FeedbackStyle.ONE, true, new Published(1.39, 20.0, 0.16, 0, 278))),
            "nothing", List.of());

    public static final Study BALANCER = new Study("balancer", "A bad server among K behind one address", 10,
            List.of(balanced(FeedbackStyle.PER_N, 5, Published.about(5)),
                    balanced(FeedbackStyle.PER_N, 10, Published.about(10)),
                    balanced(FeedbackStyle.PER_N, 15, Published.about(15)),
                    balanced(FeedbackStyle.PER_ROOT_OF_N, 5, Published.NOTHING),
                    balanced(FeedbackStyle.PER_ROOT_OF_N, 10, Published.NOTHING),
                    balanced(FeedbackStyle.ONE, 5, Published.NOTHING),
                    balanced(FeedbackStyle.ONE, 10, Published.NOTHING),
                    balanced(FeedbackStyle.QUARTER, 5, Published.NOTHING),
                    balanced(FeedbackStyle.QUARTER, 10, Published.NOTHING)),
            "nothing", List.of());

    private Studies() {}

    /// In the order of this page, which is that of the lesson; the document has the limiter last.
    public static List<Study> all() {
        return List.of(LIMITER, CONNECT, GREETING, BALANCER);
    }

    public static Optional<Study> find(String name) {
        return all().stream().filter(study -> study.name().equals(name)).findFirst();
    }

    private static Variation places(int places) {
        return new Variation(places + " places",
                setup -> setup.with(new Congested(SERVER_LIMIT, places, Overflow.SYN_IS_DROPPED)));
    }

    private static Row limited(FeedbackStyle style, boolean cached, Published published) {
        return new Row(new Setup(style, cached, RECIPIENTS, SERVER_LIMIT, new Limiter(SERVER_LIMIT)), published);
    }

    private static Row balanced(FeedbackStyle style, int servers, Published published) {
        return new Row(new Setup(style, false, RECIPIENTS, SERVER_LIMIT, new Balanced(servers)), published);
    }

    private static Row full(FeedbackStyle style, boolean cached, Published published) {
        return new Row(new Setup(style, cached, RECIPIENTS, Setup.CLIENT_LIMIT,
                new Congested(SERVER_LIMIT, FREEBSD_PLACES, Overflow.SYN_IS_DROPPED)), published);
    }

    private static Row silent(FeedbackStyle style, boolean cached, Published published) {
        return new Row(new Setup(style, cached, MORE_RECIPIENTS, Setup.CLIENT_LIMIT,
                new Congested(SERVER_LIMIT, LINUX_PLACES, Overflow.ACK_IS_DROPPED)), published);
    }
}
