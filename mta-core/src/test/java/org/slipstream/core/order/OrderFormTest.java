package org.slipstream.core.order;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Route;
import org.slipstream.core.order.OrderForm.OrderRead;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Orders are read from texts as their records declare them.
class OrderFormTest {
    private static OrderRead<MessageOrder> read(String word, Map<String, String> texts) {
        return OrderForm.of(MessageOrder.class, word).read(texts, Route.Lmtp::new);
    }

    private static <T> void isRefused(OrderRead<T> read, String sentence) {
        assertThat(read).isInstanceOfSatisfying(OrderRead.Wrong.class,
                wrong -> assertThat(wrong.sentence()).isEqualTo(sentence));
    }

    @ParameterizedTest
    @CsvSource({"-10", "10", "x", "1.5", "99999999999"})
    void aPriorityOutsideItsBoundsIsRefused(String value) {
        isRefused(read("priority", Map.of("value", value)),
                "\"" + value + "\" is not a priority; use a number from -9 to 9");
    }

    @Test
    void aNumberWithinItsBoundsIsRead() {
        assertThat(read("priority", Map.of("value", "-9")))
                .isEqualTo(new OrderRead.Made<>(new MessageOrder.Priority(-9)));
        isRefused(read("priority", Map.of("value", " ")), "missing parameter: value, a number from -9 to 9");
    }

    @Test
    void aReasonAndAnAuthorHaveAtMostFiveHundredCharacters() {
        String longest = "r".repeat(500);
        assertThat(read("hold", Map.of("reason", longest, "author", longest)))
                .isEqualTo(new OrderRead.Made<>(new MessageOrder.Hold(longest, longest)));
        isRefused(read("hold", Map.of("reason", longest + "r")), "reason has at most 500 characters");
        isRefused(read("bounce", Map.of("reason", longest + "r")), "reason has at most 500 characters");
        isRefused(read("hold", Map.of("author", longest + "r")), "author has at most 500 characters");
    }

    @Test
    void aNextHopIsReadByTheServerAndDefaultIsTheWayBack() {
        assertThat(read("reroute", Map.of("to", "Default")))
                .isEqualTo(new OrderRead.Made<>(new MessageOrder.Reroute(Optional.empty())));
        assertThat(read("reroute", Map.of("to", "unix:/run/lmtp"))).isEqualTo(
                new OrderRead.Made<>(new MessageOrder.Reroute(Optional.of(new Route.Lmtp("unix:/run/lmtp")))));
        isRefused(OrderForm.of(MessageOrder.class, "reroute").read(Map.of("to", "x"), _ -> {
            throw new IllegalArgumentException("\"x\" is not a next hop");
        }), "\"x\" is not a next hop");
    }

    @Test
    void aMomentIsATimeInUtc() {
        Map<String, String> until = Map.of("reason", "full", "author", "ann", "until", "2026-01-31T18:00:00Z");
        assertThat(OrderForm.of(HostOrder.class, "suspend").read(until, Route.Lmtp::new))
                .isEqualTo(new OrderRead.Made<>(new HostOrder.Suspend("full", "ann",
                        Optional.of(Instant.parse("2026-01-31T18:00:00Z")))));
        for (String wrong : List.of("soon", "+1000000000-12-31T23:59:59Z")) {
            isRefused(OrderForm.of(HostOrder.class, "suspend")
                    .read(Map.of("reason", "full", "author", "ann", "until", wrong), Route.Lmtp::new),
                    "until is not a time such as 2026-01-31T18:00:00Z");
        }
    }

    @Test
    void theLoadOfAShardIsUseAndLimit() {
        OrderForm<ShardOrder> load = OrderForm.of(ShardOrder.class, "load");
        assertThat(load.read(Map.of("local", "2/10"), Route.Lmtp::new))
                .isEqualTo(new OrderRead.Made<>(new ShardOrder.Load("2/10", "2/10")));
        isRefused(load.read(Map.of("local", "2/10", "remote", "much"), Route.Lmtp::new),
                "local and remote must be use and limit such as 2/10, a percentage such as 45, or auto");
        isRefused(OrderForm.of(ShardOrder.class, "drain").read(Map.of("force", "maybe"), Route.Lmtp::new),
                "force is neither true nor false");
    }

    /// Each verb has the texts of its help, and each argument a sentence.
    @Test
    void everyVerbIsDeclaredCompletely() {
        for (Class<?> family : List.of(MessageOrder.class, HostOrder.class, MailOrder.class, ShardOrder.class)) {
            assertThat(OrderForm.of(family)).isNotEmpty().allSatisfy(form -> {
                assertThat(form.verb().does()).endsWith(".");
                assertThat(form.verb().examples()).isNotEmpty().allMatch(each -> each.contains(form.word())
                        || form.word().equals("drain"));
                assertThat(form.parts()).allSatisfy(part -> assertThat(part.argument()).isNotNull());
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"Move, Flush, Flush", "Flush, Move, Flush", "Flush, Hold, Hold", "Hold, Flush, Hold",
            "Hold, Release, Release", "Release, Hold, Hold", "Hold, Reroute, Hold", "Reroute, Requeue, Requeue",
            "Bounce, Hold, Hold", "Delete, Release, Delete", "Requeue, Delete, Delete", "Reroute, Flush, Reroute"})
    void theLaterOrderAppliesUnlessTheEarlierIsStronger(String earlier, String later, String applies) {
        assertThat(order(earlier).then(order(later))).isEqualTo(order(applies));
    }

    private static MessageOrder order(String name) {
        return switch (name) {
            case "Move" -> new MessageOrder.Move();
            case "Flush" -> new MessageOrder.Flush();
            case "Hold" -> new MessageOrder.Hold("", "ann");
            case "Release" -> new MessageOrder.Release();
            case "Reroute" -> new MessageOrder.Reroute(Optional.empty());
            case "Requeue" -> new MessageOrder.Requeue();
            case "Bounce" -> new MessageOrder.Bounce("");
            default -> new MessageOrder.Delete();
        };
    }
}
