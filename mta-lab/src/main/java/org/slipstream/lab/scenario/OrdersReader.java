package org.slipstream.lab.scenario;

import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.core.text.Nearest;
import org.slipstream.lab.Scenario.TimedCommand;
import org.slipstream.lab.ShardPlan.ShardAction;
import org.slipstream.lab.scenario.ScenarioFile.ScenarioMessage;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.settings.TomlSection;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Reads `[[orders]]`: what an operator does at a time. Names and meanings are those of the commands:
/// `mta queue hold`, `mta suspend`, `mta limit`, `mta shard drain`.
final class OrdersReader {
    private static final int MOST = 1_000;
    private static final String AUTHOR = "operator";
    private static final String DOMAIN = "domain";
    private static final String LIMIT = "limit";
    private static final String MESSAGE = "message";

    private static final Map<String, MessageOrder> MESSAGE_ORDERS = Map.of("flush", new MessageOrder.Flush(),
            "hold", new MessageOrder.Hold("", AUTHOR), "release", new MessageOrder.Release(),
            "requeue", new MessageOrder.Requeue(), "bounce", new MessageOrder.Bounce(""),
            "expire", new MessageOrder.Expire(), "delete", new MessageOrder.Delete());
    private static final Map<String, ShardMode> SHARD_MODES = Map.of("shard-enable", ShardMode.NORMAL,
            "shard-hold", ShardMode.HELD, "shard-disable", ShardMode.DISABLED, "shard-drain", ShardMode.DRAINED);
    private static final Set<String> OTHERS = Set.of("suspend", "resume", "freeze", "thaw", LIMIT, "unlimit",
            "shard-add", "shard-kill");

    /// @param shards orders for shards, in the order of the file
    record ReadOrders(List<TimedCommand> commands, List<ShardAction> shards) {}

    private final SequencedMap<QueueId, ScenarioMessage> messages;
    private final List<TimedCommand> commands = new ArrayList<>();
    private final List<ShardAction> shards = new ArrayList<>();

    private OrdersReader(SequencedMap<QueueId, ScenarioMessage> messages) {
        this.messages = messages;
    }

    static ReadOrders read(TomlSection root, SequencedMap<QueueId, ScenarioMessage> messages) {
        OrdersReader reader = new OrdersReader(messages);
        List<TomlSection> orders = root.sections("orders");
        if (orders.size() > MOST) {
            throw root.wrong("a scenario has at most " + MOST + " orders");
        }
        orders.forEach(reader::order);
        return new ReadOrders(reader.commands, reader.shards);
    }

    private void order(TomlSection section) {
        long at = section.millis("at", 0);
        String order = section.need("order");
        if (SHARD_MODES.containsKey(order)) {
            shards.add(new ShardAction.SetMode(at, shard(section), SHARD_MODES.get(order)));
        } else if (MESSAGE_ORDERS.containsKey(order)) {
            ofMessages(section, at, order);
        } else {
            other(section, at, order);
        }
        section.end();
    }

    private void other(TomlSection section, long at, String order) {
        switch (order) {
            case "freeze", "suspend" -> commands.add(new TimedCommand(at,
                    new OperatorCommand.Begin(suspension(section, order, at))));
            case "thaw", "resume" -> end(at, suspension(section, order, at));
            case LIMIT -> commands.add(new TimedCommand(at, new OperatorCommand.Begin(limit(section, at,
                    section.need("value")))));
            case "unlimit" -> end(at, limit(section, at, LimitOrder.anyValue(section.need(LIMIT))));
            case "shard-add" -> shards.add(new ShardAction.Add(at));
            case "shard-kill" -> shards.add(new ShardAction.Kill(at, shard(section)));
            default -> throw section.wrong("order", "= \"" + order + "\" is unknown" + Nearest.hint(order, known()));
        }
    }

    private static Set<String> known() {
        Set<String> all = new TreeSet<>(OTHERS);
        all.addAll(MESSAGE_ORDERS.keySet());
        all.addAll(SHARD_MODES.keySet());
        return all;
    }

    private void end(long at, StandingOrder order) {
        commands.add(new TimedCommand(at, new OperatorCommand.End(order.kind(), order.name())));
    }

    /// All messages of a stream; a flush may also name a domain, or nothing for all mail.
    private void ofMessages(TomlSection section, long at, String order) {
        if (order.equals("flush") && !section.has(MESSAGE)) {
            commands.add(new TimedCommand(at, new OperatorCommand.FlushAll(section.text(DOMAIN))));
            return;
        }
        String name = section.need(MESSAGE);
        List<QueueId> ids = messages.entrySet().stream().filter(each -> each.getValue().name().equals(name))
                .map(Map.Entry::getKey).toList();
        if (ids.isEmpty()) {
            throw section.wrong(MESSAGE, "= \"" + name + "\" is the name of no message" + Nearest.hint(name,
                    messages.values().stream().map(ScenarioMessage::name).distinct().toList()));
        }
        ids.forEach(id -> commands.add(new TimedCommand(at,
                new OperatorCommand.OfMessage(id, MESSAGE_ORDERS.get(order)))));
    }

    private static Suspension suspension(TomlSection section, String order, long at) {
        long until = section.time("for").map(time -> at + time.toMillis()).orElse(Long.MAX_VALUE);
        if (order.equals("freeze") || order.equals("thaw")) {
            return new Suspension(SuspensionScope.EVERYTHING, "", "", AUTHOR, at, until);
        }
        Map<SuspensionScope, String> named = new TreeMap<>();
        for (SuspensionScope scope : EnumSet.complementOf(EnumSet.of(SuspensionScope.EVERYTHING))) {
            section.text(scope.word()).ifPresent(name -> named.put(scope, name));
        }
        if (named.size() != 1) {
            throw section.wrong("order", "= \"" + order
                    + "\" needs one of destination, provider, sender and transport; write for example destination ="
                    + " \"a.example\"");
        }
        var one = named.entrySet().iterator().next();
        return new Suspension(one.getKey(), one.getValue(), "", AUTHOR, at, until);
    }

    private static LimitOrder limit(TomlSection section, long at, String value) {
        long until = section.time("for").map(time -> at + time.toMillis()).orElse(Long.MAX_VALUE);
        try {
            return LimitOrder.parse(section.need(LIMIT), value, "", AUTHOR, at, until);
        } catch (IllegalArgumentException wrong) {
            throw section.wrong(LIMIT, "is wrong: " + wrong.getMessage());
        }
    }

    private static int shard(TomlSection section) {
        return Optional.of(section.count("shard", 1, 0)).filter(number -> number > 0)
                .orElseThrow(() -> section.wrong("order", "needs a shard; write for example shard = 2"));
    }
}
