package org.slipstream.shaping;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.shaping.ShapingEngine.Triggered;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Rules that are completed, or not, by replies in their order.
class ShapingEngineTest {
    private static final long MINUTE = 60_000;
    private static final Reply BUSY = Reply.of(421, "4.7.0", "mx.far.example Error: too many connections from us");

    private static ShapingEngine engine(String... lines) {
        return new ShapingEngine(ShapingRules.read("test.toml", "[[rules]]\nname = \"r\"\n" + String.join("\n", lines)),
                ProviderTable.shipped());
    }

    private static SeenReply from(String destination, Reply reply) {
        return from(destination, "mx.far.example", reply);
    }

    private static SeenReply from(String destination, String host, Reply reply) {
        Route route = new Route.Smtp(destination, List.of(new Route.Host(host, 25, 0)));
        return SeenReply.of(route, host + "[192.0.2.1]:25", reply);
    }

    private static List<StandingOrder> orders(ShapingEngine engine, SeenReply seen, long nowMillis) {
        return engine.observe(seen, nowMillis).stream().flatMap(each -> each.orders().stream()).toList();
    }

    @Test
    void threeRefusalsWithinAMinuteLowerTheConnectionsForAnHour() {
        ShapingEngine engine = engine("code = \"421\"", "text = \"too many connections\"", "count = 3",
                "within = \"1m\"", "lanes = 2", "for = \"1h\"");
        SeenReply busy = from("far.example", BUSY);

        assertThat(engine.observe(busy, 0)).isEmpty();
        assertThat(engine.observe(busy, 30_000)).isEmpty();
        List<Triggered> complete = engine.observe(busy, MINUTE);

        assertThat(complete).singleElement().satisfies(each -> {
            assertThat(each.subject().words()).isEqualTo("destination far.example");
            assertThat(each.orders()).singleElement().isInstanceOfSatisfying(LimitOrder.class, order -> {
                assertThat(order.name()).isEqualTo("window:far.example");
                assertThat(order.number()).isEqualTo(2);
                assertThat(order.untilMillis()).isEqualTo(61 * MINUTE);
                assertThat(order.text()).contains("by rule r", "3 replies within 1m, the last: 421 4.7.0 mx.far.example"
                        + " Error: too many connections from us");
            });
        });
    }

    @Test
    void aTimeThatSlidesHasNoBoundaryToHideAt() {
        ShapingEngine engine = engine("code = \"421\"", "count = 3", "within = \"1m\"", "lanes = 2");
        SeenReply busy = from("far.example", BUSY);

        assertThat(engine.observe(busy, 0)).isEmpty();
        assertThat(engine.observe(busy, 50_000)).isEmpty();
        assertThat(engine.observe(busy, MINUTE + 1)).as("the first is too old by a millisecond").isEmpty();
        assertThat(engine.observe(busy, 110_000)).as("50 s, 60 s and 110 s").hasSize(1);
    }

    @Test
    void destinationsCountAloneAndAProviderAsAWhole() {
        ShapingEngine alone = engine("code = \"421\"", "count = 3", "lanes = 2");
        assertThat(alone.observe(from("a.example", BUSY), 0)).isEmpty();
        assertThat(alone.observe(from("b.example", BUSY), 0)).isEmpty();
        assertThat(alone.observe(from("c.example", BUSY), 0)).isEmpty();

        ShapingEngine whole = engine("provider = \"google\"", "code = \"421\"", "count = 3", "suspend = \"10m\"");
        assertThat(whole.observe(from("a.example", "aspmx.l.google.com", BUSY), 0)).isEmpty();
        assertThat(whole.observe(from("b.example", "alt1.aspmx.l.google.com", BUSY), 0)).isEmpty();
        assertThat(whole.observe(from("d.example", "mx.d.example", BUSY), 0)).as("not Google").isEmpty();
        assertThat(whole.observe(from("c.example", "aspmx.l.google.com", BUSY), 0)).singleElement()
                .satisfies(each -> assertThat(each.subject().words()).isEqualTo("provider google"));
    }

    @Test
    void eachEffectIsAnOrderWithAnEnd() {
        ShapingEngine engine = engine("destination = \".example\"", "code = \"4xx\"", "lanes = 2",
                "rate = \"100/1h\"", "suspend = \"10m\"", "for = \"2h\"");

        List<StandingOrder> orders = orders(engine, from("far.example", BUSY), 1_000);

        assertThat(orders).extracting(StandingOrder::name).containsExactly("window:far.example", "rate:far.example",
                "far.example");
        assertThat(orders).extracting(StandingOrder::untilMillis).containsExactly(1_000 + 120 * MINUTE,
                1_000 + 120 * MINUTE, 1_000 + 10 * MINUTE);
        assertThat(orders).extracting(StandingOrder::author).containsOnly("rule r");
        assertThat(orders.getLast()).isInstanceOfSatisfying(Suspension.class,
                each -> assertThat(each.scope()).isEqualTo(SuspensionScope.DESTINATION));
    }

    @Test
    void aProviderThatRefusesEverythingRenewsAnOrderTenTimesAtMost() {
        ShapingEngine engine = engine("code = \"421\"", "lanes = 2", "for = \"10m\"");
        List<Long> times = new ArrayList<>();
        for (long millis = 0; millis < 10 * MINUTE; millis += 100) {
            if (!engine.observe(from("far.example", BUSY), millis).isEmpty()) {
                times.add(millis / MINUTE);
            }
        }
        assertThat(times).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }

    @Test
    void aClockThatWentBackDoesNotSilenceARule() {
        ShapingEngine engine = engine("code = \"421\"", "lanes = 2", "for = \"10m\"");
        assertThat(engine.observe(from("far.example", BUSY), 100 * MINUTE)).hasSize(1);
        assertThat(engine.observe(from("far.example", BUSY), 1)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            mx = "mx.far.example"      | mx.far.example  | far.example  | true
            mx = "*.far.example"       | mx.far.example  | far.example  | true
            mx = ".far.example"        | far.example     | far.example  | false
            mx = ["a.example", "b.example"] | b.example  | x.example    | true
            destination = "far.example" | mx.x.example   | far.example  | true
            destination = "far.example" | mx.x.example   | a.far.example | false
            provider = "*"             | mx.far.example  | far.example  | false
            provider = "*"             | mta5.am0.yahoodns.net | yahoo.com | true
            provider = "google"        | mta5.am0.yahoodns.net | yahoo.com | false
            """)
    void aRuleIsAboutItsServers(String scope, String host, String destination, boolean counts) {
        ShapingEngine engine = engine(scope, "code = \"421\"", "suspend = \"1m\"");
        assertThat(engine.observe(from(destination, host, BUSY), 0).isEmpty()).isEqualTo(!counts);
    }

    @ParameterizedTest
    @CsvSource({"421,4.7.0,too many connections from us,true", "421,4.7.0,too many connectionsfrom us,false",
            "421,4.7.1,too many connections from us,false", "450,4.7.0,too many connections from us,false",
            "421,4.7.0,connections from too many,false"})
    void codeStatusAndWordsInTheirOrderFitTogether(int code, String status, String text, boolean counts) {
        ShapingEngine engine = engine("code = \"421\"", "status = \"4.7.0\"", "text = \"too many * from\"",
                "suspend = \"1m\"");
        assertThat(engine.observe(from("far.example", Reply.of(code, status, text)), 0).isEmpty())
                .isEqualTo(!counts);
    }

    @Test
    void onlyCodesOfARuleAreWorthALook() {
        ShapingEngine engine = engine("code = [\"421\", \"45x\"]", "suspend = \"1m\"");
        assertThat(engine.counts(421)).isTrue();
        assertThat(engine.counts(459)).isTrue();
        assertThat(engine.counts(250)).isFalse();
        assertThat(engine.counts(550)).isFalse();
        assertThat(engine.counts(599)).isFalse();
    }

    @Test
    void aReplyOfAHundredKilobytesIsCutBeforeItIsCompared() {
        ShapingEngine engine = engine("code = \"4xx\"", "text = \"a * a * a * a * a * a * a * a * a * b\"",
                "suspend = \"1m\"");
        Reply hostile = new Reply(421, Optional.empty(), List.of("a ".repeat(25_000), "a ".repeat(25_000) + "b"));
        assertThat(engine.observe(from("far.example", hostile), 0)).isEmpty();

        ShapingEngine any = engine("code = \"4xx\"", "suspend = \"1m\"");
        StandingOrder order = orders(any, from("far.example", hostile), 0).getFirst();
        assertThat(order.why().length()).isLessThanOrEqualTo(ShapingEngine.REASON_OCTETS);
    }

    @Test
    void moreSubjectsThanCountersForgetTheOldest() {
        ShapingEngine engine = engine("code = \"421\"", "count = 2", "within = \"1d\"", "lanes = 2");
        engine.observe(from("first.example", BUSY), 0);
        for (int i = 0; i < ShapingEngine.MOST_COUNTERS; i++) {
            engine.observe(from("d" + i + ".example", BUSY), 1);
        }
        assertThat(engine.counters()).isEqualTo(10_000);
        assertThat(engine.observe(from("first.example", BUSY), 2)).as("forgotten").isEmpty();
        assertThat(engine.observe(from("d9999.example", BUSY), 2)).as("kept").hasSize(1);
    }

    @Test
    void anOrderOfAnOperatorStaysAndAStricterRuleReplacesALooserOne() {
        StandingOrder operators = LimitOrder.parse("window:far.example", "50", "", "ann", 0, Long.MAX_VALUE);
        StandingOrder two = LimitOrder.parse("window:far.example", "2", "", "rule a", 0, 10);
        StandingOrder three = LimitOrder.parse("window:far.example", "3", "", "rule b", 0, 100);
        StandingOrder twoForLonger = LimitOrder.parse("window:far.example", "2", "", "rule a", 0, 11);
        StandingOrder slow = LimitOrder.parse("rate:far.example", "100/1h", "", "rule a", 0, 10);
        StandingOrder slower = LimitOrder.parse("rate:far.example", "1/1m", "", "rule b", 0, 10);

        assertThat(RuleOrder.mayReplace(operators, two)).isFalse();
        assertThat(RuleOrder.mayReplace(three, two)).isTrue();
        assertThat(RuleOrder.mayReplace(two, three)).as("looser, although for longer").isFalse();
        assertThat(RuleOrder.mayReplace(two, twoForLonger)).isTrue();
        assertThat(RuleOrder.mayReplace(two, two)).isFalse();
        assertThat(RuleOrder.mayReplace(slow, slower)).as("100 in an hour are more than 1 in a minute").isTrue();
        assertThat(RuleOrder.mayReplace(slower, slow)).isFalse();
    }
}
