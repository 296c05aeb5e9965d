package org.slipstream.server.dispatch;

import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/// A dispatcher without deliveries (`queue.deliver` is false): no message is ever due. Operators'
/// commands are executed.
///
/// @param answers to the queue manager
public record RestingDispatcher(OrderSink dispatcher, Consumer<QmgrEvent> answers) implements OrderSink {
    @Override
    public void order(QmgrOrder order) {
        if (order instanceof QmgrOrder.Scan) {
            answers.accept(new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty()));
        } else {
            dispatcher.order(order);
        }
    }
}
