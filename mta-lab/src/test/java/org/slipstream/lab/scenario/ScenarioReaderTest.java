package org.slipstream.lab.scenario;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Route;
import org.slipstream.core.TransportKind;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.ThreadOrder;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// An invalid file gets one sentence with the line, the mistake and the remedy.
class ScenarioReaderTest {
    private static final String MESSAGE = "[[messages]]\nto = { \"a.example\" = 10 }\n";

    private static String sentence(String text) {
        Reading reading = ScenarioReader.read("mine.toml", text);
        assertThat(reading).as(text).isInstanceOf(Reading.Bad.class);
        return ((Reading.Bad) reading).sentence();
    }

    private static String afterTitle(String text) {
        return sentence("title = \"T\"\n" + text);
    }

    @Test
    void theShortestFileIsATitleAndAMessage() {
        assertThat(ScenarioReader.read("mine.toml", "title = \"T\"\n" + MESSAGE)).isInstanceOf(Reading.Good.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            recipients-per-delivery = 0 | mine.toml:3: transport: recipients-per-delivery = 0 is not a whole number from 1
            lanes = -5            | mine.toml:3: transport: lanes = -5 is not a whole number from 0
            lanes = "5"           | mine.toml:3: transport: lanes = "5" is not a whole number
            delivery-slot-discount = 101           | from 0 to 100
            positive-feedback = "1.5"     | mine.toml:3: transport: positive-feedback = "1.5" is not a feedback from 0 to 1
            negative-feedback = "x"       | write "1/concurrency"
            destination-rate-delay = 5                | mine.toml:3: transport: destination-rate-delay = 5 is not a time
            destination-rate-delay = "-5s"            | is not a time of at most a year; write a number with a unit
            window = 5                    | mine.toml:3: unknown key "window" in transport
            delivery-slot-costs = 5                | did you mean "delivery-slot-cost"?
            """)
    void aSettingThatMakesNoSense(String line, String what) {
        assertThat(afterTitle("[transport]\n" + line + "\n" + MESSAGE)).contains(what).doesNotContain("\n");
    }

    @Test
    void aFirstWindowAboveTheLargestOne() {
        assertThat(
                afterTitle("[transport]\nlanes-per-destination = 3\ninitial-destination-concurrency = 5\n" + MESSAGE))
                .isEqualTo(
                        "mine.toml:4: transport: initial-destination-concurrency = 5 is above lanes-per-destination = 3; make it at"
                                + " most 3");
    }

    @Test
    void aLowerLimitAloneLowersTheFirstWindowToo() {
        assertThat(
                ScenarioReader.read("mine.toml", "title = \"T\"\n[transport]\nlanes-per-destination = 3\n" + MESSAGE))
                .isInstanceOf(Reading.Good.class);
    }

    @Test
    void mailWithoutARoute() {
        assertThat(afterTitle("[[routes]]\ndomain = \"b.example\"\n" + MESSAGE)).isEqualTo(
                "mine.toml:5: no route for a.example; add [[routes]] with domain = \"a.example\", or with domain = \"*\""
                        + " for all other domains");
    }

    @Test
    void aRouteToAServerOrByATransportThatNobodyKnows() {
        assertThat(afterTitle("[servers.fast]\n[[routes]]\ndomain = \"*\"\nserver = \"fats\"\n" + MESSAGE))
                .isEqualTo("mine.toml:5: routes 1: server = \"fats\" is unknown; did you mean \"fast\"?");
        assertThat(afterTitle("[[routes]]\ndomain = \"*\"\ntransport = \"pigeon\"\n" + MESSAGE))
                .isEqualTo("mine.toml:4: routes 1: transport = \"pigeon\" is unknown; add [transport.pigeon]");
    }

    @Test
    void oneNextHopIsOneServer() {
        assertThat(afterTitle("""
                [servers.x]
                [servers.y]
                [[routes]]
                domain = "a.example"
                next-hop = "relay"
                server = "x"
                [[routes]]
                domain = "b.example"
                next-hop = "relay"
                server = "y"
                """ + MESSAGE)).startsWith("mine.toml:10: routes 2: next-hop uses server \"y\" here and \"x\"");
    }

    private static String hosts(String hosts) {
        return afterTitle("[servers.x]\n[[routes]]\ndomain = \"*\"\nhosts = [" + hosts + "]\n" + MESSAGE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            order = "hld"                            | order = "hld" is unknown; did you mean "hold"
            order = "hold"                           | message
            order = "hold", message = "2"            | message = "2" is the name of no message
            order = "suspend"                        | needs one of destination, provider, sender and transport
            order = "limit", limit = "x", value = "1" | limit is wrong: the limits are server, transport:NAME
            order = "limit", limit = "server", value = "0" | limit is wrong: a limit is a number from 1 to
            order = "shard-hold"                     | needs a shard; write for example shard = 2
            order = "shard-hold", shard = 2          | orders for shards need [shard]
            order = "flush", at = 5                  | at = 5 is not a time
            order = "freeze", message = "1"          | unknown key "message"
            """)
    void anOrderThatMakesNoSense(String order, String what) {
        assertThat(afterTitle("orders = [{ " + order + " }]\n" + MESSAGE)).contains(what).doesNotContain("\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            count = 65                  | 64
            count = 5, maximum = 4      | count = 5 is above maximum = 4
            mode = "statc"              | mode = "statc"
            interval = "10ms"           | is less than a second
            load = 101                  | from 1 to 100
            """)
    void queuesThatMakeNoSense(String keys, String what) {
        assertThat(afterTitle("shard = { " + keys + " }\n" + MESSAGE)).contains(what).doesNotContain("\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            { name = "mx1", server = "y" }      | hosts 1: server = "y" is unknown
            { server = "x" }                    | hosts 1 has no name
            { name = "mx1", preference = -1 }   | hosts 1: preference = -1 is not a whole number from 0 to 65535
            { name = "mx1", port = 25 }         | unknown key "port" in hosts 1
            { name = "mx1", server = "x" }, { name = "mx1", server = "default" } | a host has one server
            """)
    void aHostThatMakesNoSense(String host, String what) {
        assertThat(hosts(host)).contains(what).startsWith("mine.toml:5: ").doesNotContain("\n");
    }

    @Test
    void hostsThatCannotBe() {
        assertThat(hosts("")).isEqualTo(
                "mine.toml:5: routes 1: hosts is empty; write hosts = [{ name = \"mx1.a.example\" }], or remove it");
        assertThat(hosts("{ name = \"mx1\" }]\nserver = \"x\"\n#"))
                .contains("server cannot be combined with hosts");
        assertThat(afterTitle("[transport.lmtp]\n[[routes]]\ndomain = \"*\"\ntransport = \"lmtp\"\n"
                + "hosts = [{ name = \"mx1\" }]\n" + MESSAGE))
                .contains("routes by \"lmtp\" have hosts, but that transport does not deliver by SMTP");
    }

    @Test
    void anExpectationOfAHostThatIsNotThere() {
        assertThat(afterTitle("[[routes]]\ndomain = \"*\"\nhosts = [{ name = \"mx1\" }]\n" + MESSAGE
                + "[expect]\nconnections = { mx2 = 1 }\n"))
                .endsWith("no route has the host \"mx2\"; did you mean \"mx1\"?");
    }

    @Test
    void placementThatMakesNoSense() {
        assertThat(afterTitle("[placement]\nconnection-depth = 9\nmost-connection-depth = 4\n" + MESSAGE)).isEqualTo(
                "mine.toml:4: placement: most-connection-depth = 4 is below connection-depth = 9; make it at least 9");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [destination."no domain"]; lanes = 1         | "no domain" is not a domain
            [destination."a.example"]; lane = 1          | unknown key "lane" in destination.a.example; did you mean "lanes"?
            [destination."a.example"]; lanes = -1        | lanes = -1 is not a whole number
            [destination."a.example"]; rate = "3"        | rate = "3" is not a rate
            [destination."a.example"]; queue-only = "x"  | queue-only = "x" is not true or false
            [destination."a.example"]; ring = "bulk"     | ring = "bulk" is unknown
            [destination."a.example"]; retry = "qmial"   | retry = "qmial" is unknown; did you mean "qmail"?
            [destination."a.example"]; transport = "x"   | transport = "x" is unknown
            [ring.bulk]; lane = 1                        | unknown key "lane" in ring.bulk; did you mean "lanes"?
            [provider.big]; hosts = ["big"]              | not a host or a suffix of hosts
            [retry.mine]; kind = "factor"                | kind = "factor" is unknown; did you mean "factors"?
            """)
    void aClauseThatMakesNoSense(String lines, String what) {
        assertThat(afterTitle(lines.replace("; ", "\n") + "\n" + MESSAGE)).contains(what).doesNotContain("\n");
    }

    @Test
    void clausesAreThoseOfTheServer() {
        var read = ScenarioReader.read("mine.toml", """
                title = "T"
                [destination."*"]
                lanes = 7
                retry = "mine"
                [destination."a.example"]
                ring = "bulk"
                rate = "3/1m"
                queue-only = true
                order = "shuffle"
                [ring.bulk]
                lanes = 3
                [provider.big]
                hosts = [".big.example"]
                lanes = 4
                [retry.mine]
                kind = "list"
                pauses = "1m 2m"
                jitter = "10%"
                """ + MESSAGE);
        assertThat(read).isInstanceOfSatisfying(Reading.Good.class, good -> {
            QmgrConfig config = good.file().scenario().config();
            DestinationSettings settings = config.destinations().settings(new Route.Smtp("a.example",
                    List.of(new Route.Host("a.example", 25, 0))), "a.example");
            assertThat(settings.lanes()).hasValue(7);
            assertThat(settings.rate()).hasValue(Rate.parse("3/1m").orElseThrow());
            assertThat(settings.isQueueOnly()).isTrue();
            assertThat(settings.order()).hasValue(ThreadOrder.SHUFFLE);
            assertThat(config.destinations().rings().get("bulk").lanes()).isEqualTo(3);
            assertThat(config.destinations().providers().settings("big").lanes()).hasValue(4);
            assertThat(config.destinations().providers().table().ofHost("mx.big.example", Optional.empty()))
                    .hasValue("big");
            assertThat(config.retries().get("mine").pauses().values()).hasSize(2);
        });
    }

    /// A second transport with hosts, as in `mta.toml`.
    @Test
    void transportsHaveTheirNamesAndKinds() {
        var read = ScenarioReader.read("mine.toml", "title = \"T\"\n" + "[transport.bulk]\n[transport.c]\n"
                + "[transport.d]\n[transport.e]\n[transport.zebra]\nlanes = 3\n[[routes]]\ndomain = \"*\"\n"
                + "transport = \"bulk\"\nhosts = [{ name = \"mx1\" }]\n[[routes]]\ndomain = \"z.example\"\n"
                + "transport = \"zebra\"\nhosts = [{ name = \"mx1\" }]\n" + MESSAGE);
        assertThat(read).isInstanceOfSatisfying(Reading.Good.class, good -> {
            TransportTable table = good.file().scenario().config().transports();
            assertThat(table.names(TransportKind.SMTP)).containsExactly("smtp", "bulk", "zebra");
            assertThat(table.of("zebra").processLimit()).isEqualTo(3);
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            to = { "a.example" = 0 }                   | needs a number of recipients, 1 to
            to = { a.example = 3 }                     | with names that have dots in quotes
            to = { "a b" = 3 }                         | "a b" is not a domain
            to = { }                                   | the message has no recipients
            name = "two words"                         | is not a name
            from = "nobody"                            | is not an address
            reply = "unknown"                           | write "welcome", "refused"
            every = "10s", until = "5s", at = "7s"     | until is before at
            until = "5s"                               | until needs every
            colour = "red"                             | unknown key "colour" in messages 1
            """)
    void aMessageThatMakesNoSense(String line, String what) {
        String to = line.startsWith("to ") ? "" : "to = { \"a.example\" = 1 }\n";
        assertThat(afterTitle("[[messages]]\n" + to + line.replace(", ", "\n") + "\n")).contains(what)
                .startsWith("mine.toml:");
    }

    @Test
    void anExpectationOfAMessageThatIsNotThere() {
        assertThat(afterTitle(
                "[[messages]]\nname = \"bulk\"\nto = { \"a.example\" = 10 }\n[expect]\nsequence = \"bluk×10\"\n"))
                .isEqualTo("mine.toml:6: there is no message \"bluk\"; did you mean \"bulk\"?");
        assertThat(afterTitle(MESSAGE + "[expect]\nsequense = \"1\"\n")).contains("did you mean \"sequence\"?");
        assertThat(afterTitle(MESSAGE + "[expect]\nsequence = \"(1×3\"\n")).contains("is not a sequence");
    }

    @Test
    void whatIsNoToml() {
        assertThat(sentence("title = T\n")).startsWith("mine.toml:1: not TOML:").doesNotContain("\n");
        assertThat(sentence(MESSAGE)).contains("has no title");
        assertThat(afterTitle("")).contains("there is no message");
    }
}
