package org.slipstream.console;

import com.sun.net.httpserver.HttpExchange;
import org.slipstream.picture.Markup;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// The moving parts of pages, sent as server-sent events.
///
/// All viewers of a page share one rendering for each second, so ten viewers cost the server no more
/// than one. Each viewer has a thread of its own, which writes the latest picture: a slow viewer
/// misses pictures and delays no other. When all places are taken, a viewer that has read nothing
/// for [#STUCK_MILLIS] loses its place.
final class LivePages {
    static final int MOST_VIEWERS = 200;
    static final long STUCK_MILLIS = 20_000;
    private static final int MOST_PAGES = 100;
    private static final long EVERY_MILLIS = 1_000;
    /// A page that takes long to make is made less often: a tenth of the time at most.
    private static final int PAUSE_FACTOR = 10;
    /// A write tells whether the viewer is still there, and the viewer that we are.
    private static final long SIGN_OF_LIFE_MILLIS = 5_000;

    private final LongSupplier clockMillis;
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
    private final Map<String, Rendering> pages = new LinkedHashMap<>(16, 0.75f, true);
    private volatile boolean closed;

    private static final class Viewer {
        final HttpExchange exchange;
        volatile long writingSince = Long.MAX_VALUE;

        Viewer(HttpExchange exchange) {
            this.exchange = exchange;
        }
    }

    /// The latest rendering of one page.
    private static final class Rendering {
        private String html = "";
        private long nextMillis = Long.MIN_VALUE;

        synchronized String latest(Supplier<Markup> render, long nowMillis, LongSupplier clockMillis) {
            if (nowMillis >= nextMillis) {
                html = render.get().text();
                long tookMillis = clockMillis.getAsLong() - nowMillis;
                nextMillis = nowMillis + Math.max(EVERY_MILLIS, tookMillis * PAUSE_FACTOR);
            }
            return html;
        }
    }

    /// @param clockMillis grows evenly
    LivePages(LongSupplier clockMillis) {
        this.clockMillis = clockMillis;
    }

    /// Sends the page until the viewer leaves or the server stops.
    ///
    /// @throws RefusedException when there is no place for another viewer
    void show(HttpExchange exchange, String page, Supplier<Markup> render) throws IOException {
        Viewer viewer = new Viewer(exchange);
        place(viewer);
        try {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
            exchange.sendResponseHeaders(200, 0);
            follow(viewer, rendering(page), render);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            viewers.remove(viewer);
        }
    }

    private synchronized void place(Viewer viewer) {
        if (viewers.size() >= MOST_VIEWERS) {
            long stuck = clockMillis.getAsLong() - STUCK_MILLIS;
            viewers.stream().filter(each -> each.writingSince < stuck).findFirst().ifPresentOrElse(each -> {
                viewers.remove(each);
                each.exchange.close();
            }, () -> {
                throw new RefusedException(503, "This console has " + MOST_VIEWERS
                        + " viewers already; the page does not move for you.");
            });
        }
        viewers.add(viewer);
    }

    private synchronized Rendering rendering(String page) {
        Rendering rendering = pages.computeIfAbsent(page, _ -> new Rendering());
        while (pages.size() > MOST_PAGES) {
            pages.remove(pages.keySet().iterator().next());
        }
        return rendering;
    }

    private void follow(Viewer viewer, Rendering rendering, Supplier<Markup> render)
            throws IOException, InterruptedException {
        OutputStream out = viewer.exchange.getResponseBody();
        String before = "";
        long said = clockMillis.getAsLong();
        while (!closed) {
            long now = clockMillis.getAsLong();
            String html = rendering.latest(render, now, clockMillis);
            if (!html.equals(before)) {
                send(viewer, out, event(html), now);
                before = html;
                said = now;
            } else if (now - said >= SIGN_OF_LIFE_MILLIS) {
                send(viewer, out, ":\n\n", now);
                said = now;
            }
            TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
        }
    }

    private static void send(Viewer viewer, OutputStream out, String text, long nowMillis) throws IOException {
        viewer.writingSince = nowMillis;
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
        viewer.writingSince = Long.MAX_VALUE;
    }

    private static String event(String html) {
        return "event: live\ndata: " + html.replace("\r", "").replace("\n", "\ndata: ") + "\n\n";
    }

    int viewers() {
        return viewers.size();
    }

    void close() {
        closed = true;
        viewers.forEach(viewer -> viewer.exchange.close());
    }
}
