package org.slipstream.server.operate;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.admin.operations.Operations.MessageOrder;
import org.slipstream.admin.operations.Operations.Order;
import org.slipstream.core.QueueId;
import org.slipstream.core.RouteText;
import org.slipstream.core.queue.Instruction;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;

import java.net.InetSocketAddress;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// Arguments of orders: next hops and priorities.
class MessageOrdersTest {
    private final MessageOrders orders = new MessageOrders(List.of(new InetSocketAddress("127.0.0.1", 2525),
            new InetSocketAddress("0.0.0.0", 25)));

    private static MessageOrder reroute(String to) {
        return new MessageOrder(Order.REROUTE, to);
    }

    @ParameterizedTest
    @CsvSource({"relay.example, smtp:[relay.example]:25", "Relay.Example:2525, smtp:[relay.example]:2525",
            "[192.0.2.25]:26, smtp:[192.0.2.25]:26", "192.0.2.25, smtp:[192.0.2.25]:25",
            "[2001:db8::1]:26, smtp:[2001:db8::1]:26", "smtp:relay.example, smtp:[relay.example]:25",
            "SMTP:relay.example:587, smtp:[relay.example]:587", "lmtp:relay.example:24, lmtp:relay.example:24",
            "lmtp:unix:/run/lmtp, lmtp:unix:/run/lmtp", "discard, discard:rerouted",
            "localhost:26, smtp:[localhost]:26"})
    void aNextHopIsAHostOrATransportWithANextHop(String to, String route) {
        assertThat(orders.refusal(reroute(to))).isEmpty();
        OperatorCommand command = orders.command(reroute(to), new QueueId(1), 0);
        assertThat(command).isInstanceOfSatisfying(OperatorCommand.Instruct.class,
                instruct -> assertThat(instruct.instruction()).isInstanceOfSatisfying(Instruction.Reroute.class,
                        each -> {
                            assertThat(each.route().map(RouteText::of)).contains(route);
                            assertThat(RouteText.parse(route)).as("read from the log").isEqualTo(each.route());
                        }));
    }

    @Test
    void theWayBackIsDefault() {
        assertThat(orders.refusal(reroute("default"))).isEmpty();
        assertThat(orders.command(reroute("Default"), new QueueId(1), 0))
                .isInstanceOfSatisfying(OperatorCommand.Instruct.class, instruct -> assertThat(instruct.instruction())
                        .isInstanceOfSatisfying(Instruction.Reroute.class,
                                each -> assertThat(each.route()).isEmpty()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"''|no next hop is given", "uucp:host|\"uucp\" is not a transport",
            "local:example.org|\"local\" is not a transport", "smtps:relay.example|\"smtps\" is not a transport",
            "[300.1.1.1]|not a next hop", "300.1.1.1:25|not a next hop", "smtp:|not a next hop",
            "host..example|not a next hop", "relay.example:0|not a next hop", "relay.example:99999|not a next hop",
            "relay.example:|not a next hop", "lmtp:relay.example|not a next hop", "lmtp:unix:run|not a next hop",
            "two words|not a next hop", "smtp:a.example tls=none|not a next hop",
            "127.0.0.1:2525|this server itself", "localhost|this server itself",
            "lmtp:localhost:2525|this server itself"})
    void aRerouteToNowhereIsRefusedWithTheValidForms(String to, String text) {
        assertThat(orders.refusal(reroute(to))).hasValueSatisfying(sentence -> assertThat(sentence).contains(text));
    }

    @ParameterizedTest
    @CsvSource({"-10", "10", "x", "''", "1.5", "99999999999"})
    void aPriorityOutsideItsBoundsIsRefused(String value) {
        assertThat(orders.refusal(new MessageOrder(Order.PRIORITY, value)))
                .contains("\"" + value + "\" is not a priority; use a number from -9 to 9");
    }

    @ParameterizedTest
    @EnumSource(names = {"BOUNCE", "HOLD"})
    void aReasonAndAnAuthorHaveAtMostFiveHundredCharacters(Order order) {
        assertThat(orders.refusal(new MessageOrder(order, "r".repeat(500), "a".repeat(500)))).isEmpty();
        assertThat(orders.refusal(new MessageOrder(order, "r".repeat(501), "ann")).orElseThrow()).contains("500");
        assertThat(orders.refusal(new MessageOrder(order, "", "a".repeat(501))).orElseThrow()).contains("500");
    }

    @Test
    void bounceAndExpireDifferInTheirCause() {
        QueueId id = new QueueId(7);
        assertThat(orders.command(new MessageOrder(Order.BOUNCE, "gone"), id, 0))
                .isEqualTo(new OperatorCommand.Instruct(
                        id, new Instruction.Return(Instruction.Cause.CANCELLED, "gone")));
        assertThat(orders.command(MessageOrder.of(Order.EXPIRE), id, 0)).isEqualTo(new OperatorCommand.Instruct(id,
                new Instruction.Return(Instruction.Cause.EXPIRED, "")));
        assertThat(orders.command(new MessageOrder(Order.PRIORITY, "-9"), id, 0)).isEqualTo(
                new OperatorCommand.Instruct(id, new Instruction.Priority(-9)));
        assertThat(orders.command(MessageOrder.of(Order.REQUEUE), id, 0)).isEqualTo(new OperatorCommand.Requeue(id));
    }
}
