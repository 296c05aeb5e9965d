package org.slipstream.server.view;

import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// Counts waiting messages by destination, provider or sender and by age, as Postfix's `qshape`. A message
/// with waiting recipients at several destinations counts once for each of them.
///
/// A destination is the domain of a recipient, because the index of a stopped server has no routes.
/// It is marked when an operator has suspended it or the host of its latest reply, when the queue
/// manager names it as dead, and when that host is left alone. The suspension of a transport is not
/// visible here.
///
/// A server may have tens of thousands of failed hosts and dead destinations. Each is looked at
/// once for a page, and then found by its name, its address or its failure.
public final class QueueShape {
    static final int PAGE = 1_000;
    private static final String SUSPENDED = "SUSPENDED";
    private static final String RETRY = "RETRY";
    /// The beginning of the reply of mail for a dead destination.
    private static final String SUSPENDED_REPLY = "delivery temporarily suspended: ";
    private static final long MINUTE = 60_000;
    private static final int[] MINUTES = {5, 10, 20, 40, 80, 160, 320, 640, 1_280};

    private static final class Counted {
        final Long[] ages = new Long[MINUTES.length + 1];
        long held;
        Optional<Suspension> suspension = Optional.empty();
        Optional<Outcome> last = Optional.empty();
        long lastMillis;

        Counted() {
            Arrays.fill(ages, 0L);
        }
    }

    private final ShapeBy by;
    private final ProviderOfMail providers;
    /// Records that explain a wait, by the address and port of their host.
    private final Map<String, List<HostRecord>> hosts = new HashMap<>();
    private final List<Suspension> suspensions = new ArrayList<>();
    private final Map<String, String> dead = new HashMap<>();
    /// The same states, by the text of the failure.
    private final Map<String, String> deadByFailure = new HashMap<>();
    private final long nowMillis;
    private final Map<String, Counted> counts = new TreeMap<>();

    /// @param common records of hosts and orders, for suspensions and failures
    /// @param dead next hops that the queue manager has given up for a time
    /// @param providers for [ShapeBy#PROVIDER]
    public QueueShape(ShapeBy by, Spool.CommonRecords common, Map<String, DestinationState.Dead> dead,
            ProviderOfMail providers, long nowMillis) {
        this.by = by;
        this.providers = providers;
        this.nowMillis = nowMillis;
        common.orders().stream().filter(Suspension.class::isInstance).map(Suspension.class::cast)
                .filter(each -> each.untilMillis() > nowMillis).forEach(suspensions::add);
        for (HostRecord host : common.hosts()) {
            if (host.untilMillis() > nowMillis && (host.kind().equals(SUSPENDED) || host.kind().equals(RETRY))) {
                this.hosts.computeIfAbsent(addressAndPort(host.host()), _ -> new ArrayList<>(1)).add(host);
            }
        }
        dead.forEach((nextHop, each) -> {
            String state = "dead until " + Instant.ofEpochMilli(each.untilMillis()) + ": " + each.reason();
            this.dead.put(nextHop, state);
            deadByFailure.putIfAbsent(each.reason().text(), state);
        });
    }

    /// The shape of a whole queue, for a stopped server. It knows the providers of hosts that were asked.
    public static List<ShapeRow> of(Spool spool, ShapeBy by, Spool.CommonRecords common, long nowMillis)
            throws IOException {
        QueueShape shape = new QueueShape(by, common, Map.of(), new ProviderOfMail(ProviderTable.shipped(), Map.of()),
                nowMillis);
        List<MessageDetails> page = spool.list(Optional.empty(), PAGE);
        while (!page.isEmpty()) {
            page.forEach(shape::add);
            page = spool.list(Optional.of(page.getLast().summary().id()), PAGE);
        }
        return shape.rows();
    }

    public void add(MessageDetails message) {
        Set<String> counted = new HashSet<>();
        for (RecipientState each : message.recipients()) {
            if (each.state() == RecipientStatus.OPEN) {
                String name = name(message, each);
                Counted count = counts.computeIfAbsent(name, _ -> new Counted());
                if (counted.add(name)) {
                    count.ages[column(nowMillis - message.summary().createdMillis())]++;
                    count.held += message.summary().held() ? 1 : 0;
                }
                count.suspension = count.suspension.or(() -> suspensions.stream().filter(
                        one -> one.concerns(message.summary().sender(), each.recipient().address())).findFirst());
                if (each.last().isPresent() && each.atMillis() >= count.lastMillis) {
                    count.last = each.last();
                    count.lastMillis = each.atMillis();
                }
            }
        }
    }

    private String name(MessageDetails message, RecipientState recipient) {
        return switch (by) {
            case DESTINATION -> recipient.recipient().address().domainKey();
            case PROVIDER -> providers.of(recipient).orElse(ProviderTable.OTHER);
            case SENDER -> message.summary().sender().map(sender -> sender.domainKey()).orElse("<>");
        };
    }

    private static int column(long ageMillis) {
        int column = 0;
        while (column < MINUTES.length && ageMillis >= MINUTES[column] * MINUTE) {
            column++;
        }
        return column;
    }

    /// In order of name.
    public List<ShapeRow> rows() {
        return counts.entrySet().stream().map(each -> row(each.getKey(), each.getValue())).toList();
    }

    private ShapeRow row(String name, Counted count) {
        return new ShapeRow(name, List.of(count.ages), count.held, state(name, count),
                count.last.map(last -> last.reply() + " (" + last.remote() + ")").orElse(""),
                count.last.isPresent() ? Instant.ofEpochMilli(count.lastMillis).toString() : "");
    }

    private String state(String name, Counted count) {
        if (by == ShapeBy.PROVIDER) {
            return suspensions.stream().filter(each -> each.isOf(SuspensionScope.PROVIDER, name)).findFirst()
                    .map(Suspension::text).orElse("");
        }
        if (count.suspension.isPresent() || by == ShapeBy.SENDER) {
            return count.suspension.map(Suspension::text).orElse("");
        }
        Optional<String> suspended = host(count, SUSPENDED).map(host -> "suspended by " + host.author() + " "
                + until(host) + ": " + host.words());
        return suspended.or(() -> Optional.ofNullable(dead.get(name))).or(() -> deadNextHop(count))
                .or(() -> host(count, RETRY).map(host -> "host left alone " + until(host))).orElse("");
    }

    /// The next hop of a domain with a route has a name of its own, so its failure is found by its reply.
    private Optional<String> deadNextHop(Counted count) {
        return count.last.map(last -> last.reply().text()).map(text -> text.startsWith(SUSPENDED_REPLY)
                ? text.substring(SUSPENDED_REPLY.length())
                : text).filter(text -> !text.isBlank())
                .flatMap(text -> Optional.ofNullable(deadByFailure.get(text)));
    }

    private Optional<HostRecord> host(Counted count, String kind) {
        return count.last.flatMap(last -> hosts.getOrDefault(addressAndPort(last.remote()), List.of()).stream()
                .filter(host -> host.kind().equals(kind) && isNamedBy(last.remote(), host.host())).findFirst());
    }

    // The text of a key is `[address]:port/terms`; the remote of an outcome is the same, or has the
    // name before the address and no terms.
    private static boolean isNamedBy(String remote, String host) {
        return remote.equals(host) || remote.endsWith(addressAndPort(host));
    }

    /// The part that a key and the remote of an outcome have in common. The address of a UNIX socket
    /// has slashes of its own.
    private static String addressAndPort(String text) {
        String address = text.substring(Math.max(0, text.lastIndexOf('[')));
        int terms = address.indexOf('/', address.lastIndexOf(']') + 1);
        return terms < 0 ? address : address.substring(0, terms);
    }

    private static String until(HostRecord host) {
        return host.untilMillis() == Long.MAX_VALUE
                ? "until further notice"
                : "until " + Instant.ofEpochMilli(host.untilMillis());
    }
}
