package org.slipstream.server.operate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.HostOperations;
import org.slipstream.core.HostKey;
import org.slipstream.core.LogText;
import org.slipstream.core.order.HostOrder;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.place.HostState;
import org.slipstream.qmgr.place.PlaceSnapshot;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.server.dispatch.Commands;
import org.slipstream.server.hosts.ServerPlacement;
import org.slipstream.server.view.Views;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/// Operators' views of hosts, and their orders, which are events of the queue manager: it owns the host database.
public final class HostControl implements HostOperations {
    private static final Logger log = LoggerFactory.getLogger(HostControl.class);
    private static final int SMTP = 25;

    private final QmgrQueries queries;
    private final Commands commands;
    private final ServerPlacement places;

    public HostControl(Inbox inbox, Commands commands, ServerPlacement places) {
        this.queries = new QmgrQueries(inbox);
        this.commands = commands;
        this.places = places;
    }

    @Override
    public Hosts hosts() throws IOException {
        PlaceSnapshot picture = queries.ask(_ -> places.snapshot());
        PlaceSnapshot.HostCounts counts = picture.counts();
        return new Hosts(views(picture, _ -> true), picture.workers(), picture.busy(), counts.opened(),
                counts.possibleDuplicates(), counts.withoutSeat());
    }

    @Override
    public List<HostView> show(String name) throws IOException {
        return views(queries.ask(_ -> places.snapshot()), host -> means(name, host));
    }

    /// A host without a record can be suspended by its key or its address.
    @Override
    public List<String> order(String name, HostOrder order) throws IOException {
        List<HostKey> keys = queries.ask(_ -> known(places, name));
        if (keys.isEmpty() && order instanceof HostOrder.Suspend) {
            keys = named(name).stream().toList();
        }
        List<String> changed = new ArrayList<>();
        for (HostKey key : keys) {
            if (QmgrQueries.answer(commands.give(new OperatorCommand.OfHost(key, order))) == Result.FILED) {
                log(key, order);
                changed.add(key.toString());
            }
        }
        return changed;
    }

    private static void log(HostKey host, HostOrder order) {
        switch (order) {
            case HostOrder.Suspend(String reason, String author, _) ->
                log.info("event=host-suspended host={} author=\"{}\" reason=\"{}\"", host, LogText.text(author),
                        LogText.text(reason));
            case HostOrder.Resume _ -> log.info("event=host-resumed host={}", host);
            case HostOrder.Forget _ -> log.info("event=host-forgotten host={}", host);
        }
    }

    // ---- which host

    private static List<HostKey> known(ServerPlacement places, String name) {
        return places.snapshot().hosts().stream().filter(host -> means(name, host))
                .map(PlaceSnapshot.Host::host).toList();
    }

    private static boolean means(String name, PlaceSnapshot.Host host) {
        return host.host().toString().equalsIgnoreCase(name) || host.name().equalsIgnoreCase(name)
                || (host.name() + host.host()).equalsIgnoreCase(name)
                || host.host().address().equals(bare(name)) || (host.name() + ":" + host.host().port())
                        .equalsIgnoreCase(name)
                || ("[" + host.host().address() + "]:" + host.host().port()).equalsIgnoreCase(name);
    }

    /// A key for an unknown host. A name does not tell the address under which the host will be
    /// kept.
    private static Optional<HostKey> named(String name) {
        return HostKey.parse(name).or(() -> {
            try {
                return Optional.of(HostKey.of(InetAddress.ofLiteral(bare(name)).getHostAddress(), SMTP));
            } catch (IllegalArgumentException noAddress) {
                return Optional.empty();
            }
        });
    }

    private static String bare(String name) {
        String text = name.toLowerCase(Locale.ROOT);
        return text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
    }

    // ---- views

    private static List<HostView> views(PlaceSnapshot picture, Predicate<PlaceSnapshot.Host> wanted) {
        List<HostView> views = new ArrayList<>();
        for (PlaceSnapshot.Host host : picture.hosts()) {
            if (wanted.test(host)) {
                List<ConnectionView> connections = picture.connections().stream()
                        .filter(line -> line.host().host().equals(host.host())).map(Views::connection).toList();
                views.add(new HostView(host.host().toString(), host.name(),
                        host.states().stream().map(HostControl::view).toList(), connections));
            }
        }
        return views;
    }

    private static StateView view(HostState state) {
        String reason = state.reason();
        return switch (state) {
            case HostState.Active _ -> new StateView("active", reason, "", "", 0, "");
            case HostState.Idle _ -> new StateView("idle", reason, "", "", 0, "");
            case HostState.Unused _ -> new StateView("unused", reason, "", "", 0, "");
            case HostState.Closed closed -> new StateView("closed", reason, moment(closed.closedMillis()), "", 0, "");
            case HostState.Retry retry -> new StateView("retry", reason, moment(retry.sinceMillis()),
                    moment(retry.untilMillis()), retry.failures(), "");
            case HostState.Crowded crowded -> new StateView("crowded", reason, "", moment(crowded.untilMillis()), 0,
                    "");
            case HostState.Suspended suspended -> new StateView("suspended", suspended.why(),
                    moment(suspended.sinceMillis()), moment(suspended.untilMillis()), 0, suspended.author());
            case HostState.OneAtATime habit -> new StateView("one-at-a-time", reason, moment(habit.sinceMillis()), "",
                    0, "");
        };
    }

    private static String moment(long millis) {
        return millis == Long.MAX_VALUE ? "" : Instant.ofEpochMilli(millis).toString();
    }
}
