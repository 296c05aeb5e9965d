package org.slipstream.lab;

import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.shard.LeaseBroker;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseAccount;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseMessage;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/// The broker of a simulated server, and the messages between it and the shards. Each message takes
/// a stated time, and messages in one direction keep their order. So messages cross.
///
/// After each order it checks that the lanes held are not more than the limit.
final class SimulatedBroker {
    private final LeaseBroker broker = new LeaseBroker();
    private final EventList clock;
    private final long messageMillis;
    private final Consumer<LeaseMessage> delivery;
    private final Runnable divided;

    /// The runs of each shard: messages of an earlier run are lost.
    private final Map<Integer, Integer> runs = new TreeMap<>();
    private boolean checks = true;
    private long orders;

    /// @param messageMillis of each message
    /// @param delivery of a message that has arrived at a shard
    /// @param divided runs when a shard that had all limits has told which lanes it uses
    SimulatedBroker(EventList clock, long messageMillis, Consumer<LeaseMessage> delivery, Runnable divided) {
        this.divided = divided;
        this.clock = clock;
        this.messageMillis = messageMillis;
        this.delivery = delivery;
    }

    /// Leaves out the check, whose time grows with the number of limits.
    void withoutChecks() {
        checks = false;
    }

    /// The orders so far.
    long orders() {
        return orders;
    }

    /// A shard starts, perhaps again.
    void started(int shard) {
        runs.merge(shard, 1, Integer::sum);
        send(broker.join(shard));
    }

    void gone(int shard) {
        runs.merge(shard, 1, Integer::sum);
        send(broker.gone(shard));
    }

    void ordered(int shard, QmgrOrder.LeaseOrder order) {
        orders++;
        later(shard, () -> {
            send(broker.handle(shard, order));
            switch (order) {
                case QmgrOrder.HoldLeases(List<QmgrOrder.LanesInUse> inUse) -> {
                    inUse.forEach(each -> check(each.key()));
                    divided.run();
                }
                case QmgrOrder.AskLease ask -> check(ask.key());
                case QmgrOrder.ReturnLease back -> check(back.key());
            }
        });
    }

    private void send(List<LeaseMessage> messages) {
        messages.forEach(message -> later(message.shard(), () -> delivery.accept(message)));
    }

    private void later(int shard, Runnable action) {
        int run = runs.getOrDefault(shard, 0);
        clock.after(messageMillis, () -> {
            if (runs.getOrDefault(shard, 0) == run) {
                action.run();
            }
        });
    }

    // A window that has shrunk may be exceeded until the surplus is back.
    private void check(LimitKey key) {
        if (!checks) {
            return;
        }
        List<LeaseAccount> accounts = accounts(key);
        int limit = accounts.stream().mapToInt(LeaseAccount::limit).max().orElse(0);
        int kept = accounts.stream().mapToInt(account -> account.held() - account.recalled()).sum();
        if (kept > limit) {
            throw new AssertionError("more lanes than the limit " + limit + ": " + accounts);
        }
    }

    /// The accounts of one limit.
    List<LeaseAccount> accounts(LimitKey key) {
        return broker.accounts().stream().filter(account -> account.key().equals(key)).toList();
    }

    /// The accounts, for the text of a failure.
    String describe() {
        StringBuilder text = new StringBuilder();
        broker.accounts().forEach(account -> text.append("\n  ").append(account));
        return text.toString();
    }

    /// The lanes that shards hold or ask for.
    List<LeaseAccount> accounts() {
        return broker.accounts();
    }
}
