package org.slipstream.server;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.admin.operations.ExplainOperations.Subject;
import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.smtpout.ClientConfig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/explain.md` has the answer of `mta explain ID` to each situation in which mail waits, made
/// here by a server in virtual time.
@Tag("ZM-22")
class ExplainedSituationsTest {
    private static final Path PAGE = Path.of("../docs/explain.md");
    /// The answers as a whole.
    private static final Path ANSWERS = Path.of("src/test/resources/explained-situations.md");
    private static final String BEGIN = "<!-- situations: written by ExplainedSituationsTest -->\n";
    private static final String END = "<!-- end of situations -->\n";
    private static final Duration BACKOFF = Duration.ofMinutes(5);
    private static final String SLOW = "slow.example";

    @TempDir
    Path home;

    /// Brings a message into the situation.
    private interface Course {
        QueueId run(SituationWorld world) throws Exception;
    }

    // @formatter:off
    private enum Situation {
        DEAD_HOST("A host is dead", "New mail waits although it was never tried.", Code.DEAD, "", world -> {
            world.slowToOpen.add("dead.example");
            for (int i = 0; i < 5; i++) {
                world.send("ann@here.example", "user" + i + "@dead.example");
            }
            for (int i = 0; i < 5; i++) {
                world.after(Duration.ofSeconds(30));
                world.refuse("dead.example", Reply.of(450, "4.4.1",
                        "connect to mx.dead.example: Connection timed out"), Code.CONNECTING);
            }
            world.after(Duration.ofMinutes(1));
            return world.send("ann@here.example", "bob@dead.example");
        }),
        LIMITER("A host limits connections", "Its greeting is 421, and the next attempt is later each time.", Code.RETRY,
                "", world -> {
            world.slowToOpen.add("busy.example");
            QueueId id = world.send("ann@here.example", "bob@busy.example");
            world.after(Duration.ofMillis(180));
            world.refuse("busy.example", Reply.of(421, "4.7.0", "too many connections from your address"), Code.GREETING);
            return waited(world, id);
        }),
        GREYLISTING("A host uses greylisting", "The first attempt is refused for some minutes.", Code.RETRY, "", world ->
            waited(world, replied(world, "grey.example", Reply.of(450, "4.7.1", "Greylisted, try again in 300 seconds"),
                    Code.RCPT))),
        DNS("The DNS does not answer", "No host is known for the domain.", Code.ROUTE, "", world -> {
            world.routes.put("lost.example", new QmgrEvent.RouteFailed("lost.example",
                    Reply.of(451, "4.4.3", "DNS lookup for lost.example failed: SERVFAIL (asked: 192.0.2.53:53)")));
            QueueId id = world.send("ann@here.example", "bob@lost.example");
            world.after(Duration.ofMinutes(1));
            return id;
        }),
        DNS_SILENT("The DNS is slow", "The question is under way.", Code.ROUTE, "", world -> {
            world.dnsIsSilentFor("lost.example");
            QueueId id = world.send("ann@here.example", "bob@lost.example");
            world.after(Duration.ofSeconds(8));
            return id;
        }),
        SUSPENDED_HOST("An operator has suspended the host", "Nothing goes to one host.", Code.SUSPENDED, "", world -> {
            world.suspend(SituationWorld.route("far.example", "mx.far.example"), "their disk is full", "ann",
                    Duration.ofHours(2));
            QueueId id = world.send("ann@here.example", "bob@far.example");
            world.after(Duration.ofMinutes(1));
            return id;
        }),
        SUSPENDED_DESTINATION("An operator has suspended the destination", "Nothing goes to one domain.", Code.SUSPENDED,
                "", world -> {
            world.suspend(SuspensionScope.DESTINATION, "far.example", "they move their server", Duration.ofHours(2));
            return waited(world, world.send("ann@here.example", "bob@far.example"));
        }),
        SUSPENDED_SENDER("An operator has suspended the sender", "Mail of one sender waits.", Code.SUSPENDED, "",
                world -> {
            world.suspend(SuspensionScope.SENDER, "news@here.example", "the list is wrong", Duration.ofHours(2));
            return waited(world, world.send("news@here.example", "bob@far.example"));
        }),
        FROZEN("All deliveries are frozen", "No delivery starts.", Code.SUSPENDED, "", world -> {
            world.suspend(SuspensionScope.EVERYTHING, "", "the network is changed", Duration.ofHours(1));
            return waited(world, world.send("ann@here.example", "bob@far.example"));
        }),
        HELD("An operator holds the message", "Its state is `held`.", Code.HELD, "", world -> {
            QueueId id = replied(world, "grey.example", Reply.of(450, "4.7.1", "Greylisted"), Code.RCPT);
            world.hold(id);
            return waited(world, id);
        }),
        RATE("The destination has a rate", "A few messages leave in each period.", Code.RATE, """
                [destination."slow.example"]
                rate = "2/1m"
                """, world -> {
            for (int i = 0; i < 2; i++) {
                replied(world, SLOW, Reply.of(250, "2.0.0", "Ok"), Code.FINAL_REPLY);
            }
            world.after(Duration.ofSeconds(10));
            return waited(world, world.send("ann@here.example", "bob@slow.example"));
        }),
        WINDOW("The window is full", "A slow destination has all the connections that it takes.", Code.WINDOW, """
                [destination."slow.example"]
                lanes = 1
                """, world -> {
            world.send("ann@here.example", "first@slow.example");
            QueueId id = world.send("ann@here.example", "bob@slow.example");
            world.send("ann@here.example", "third@slow.example");
            world.after(Duration.ofSeconds(40));
            world.reply(SLOW, Reply.of(250, "2.0.0", "Ok"), Code.FINAL_REPLY);
            QueueId last = world.send("ann@here.example", "carl@slow.example");
            world.after(Duration.ofSeconds(25));
            return last;
        }),
        TURN("Another message comes first", "A message with many recipients has the connection.", Code.WINDOW, """
                [destination."slow.example"]
                lanes = 1
                """, world -> {
            String[] many = new String[120];
            for (int i = 0; i < many.length; i++) {
                many[i] = "user" + i + "@slow.example";
            }
            world.send("news@here.example", many);
            QueueId id = world.send("ann@here.example", "bob@slow.example");
            world.after(Duration.ofSeconds(25));
            return id;
        }),
        SERVER("The server has all its connections at work", "Mail to every destination waits.", Code.SERVER, """
                [queue]
                lanes-of-server = 1
                """, world -> {
            world.send("ann@here.example", "first@slow.example");
            return waited(world, world.send("ann@here.example", "bob@far.example"));
        }),
        CONNECTIONS("The transport has all its connections at work", "Mail of one transport waits.", Code.CONNECTIONS, """
                [queue]
                lanes = 1
                """, world -> {
            world.send("ann@here.example", "first@slow.example");
            return waited(world, world.send("ann@here.example", "bob@far.example"));
        }),
        SHARE("The message has its share of connections", "Some recipients of a list wait.", Code.HANDED_OVER, """
                [queue]
                lanes = 3
                [placement]
                max-message-concurrency = 1
                """, world -> {
            QueueId id = world.send("news@here.example", "a@one.example", "b@two.example", "c@three.example",
                    "d@four.example", "e@five.example");
            world.send("ann@here.example", "bob@six.example");
            world.send("ann@here.example", "bob@seven.example");
            world.after(Duration.ofSeconds(2));
            world.reply(world.oldest(), Reply.of(250, "2.0.0", "Ok"), Code.FINAL_REPLY);
            return waited(world, id);
        }),
        RING("The ring has all its connections at work", "Destinations of one ring share a limit.", Code.RING, """
                [ring."bulk"]
                lanes = 1
                [destination."slow.example"]
                ring = "bulk"
                [destination."far.example"]
                ring = "bulk"
                """, world -> {
            world.send("ann@here.example", "first@slow.example");
            return waited(world, world.send("ann@here.example", "bob@far.example"));
        }),
        PROVIDER("The provider has all its connections at work", "Domains behind one provider share a limit.",
                Code.PROVIDER, """
                        [provider.big]
                        hosts = [".slow.example", ".far.example"]
                        lanes = 1
                        """, world -> {
            world.send("ann@here.example", "first@slow.example");
            return waited(world, world.send("ann@here.example", "bob@far.example"));
        }),
        PROVIDER_RATE("The rate of the provider is used up", "Mail to all its domains waits.", Code.PROVIDER_RATE, """
                [provider.big]
                hosts = [".slow.example", ".far.example"]
                rate = "1/1h"
                """, world -> {
            world.send("ann@here.example", "first@slow.example");
            return waited(world, world.send("ann@here.example", "bob@far.example"));
        }),
        SENDER("The sender's domain has its deliveries to the provider", "Mail of other senders passes.", Code.SENDER,
                """
                        [provider.big]
                        hosts = [".slow.example", ".far.example"]
                        sender-lanes = 1
                        """, world -> {
            world.send("ann@here.example", "first@slow.example");
            return waited(world, world.send("ann@here.example", "bob@far.example"));
        }),
        QUEUE_ONLY("The destination fetches its mail", "Its mail waits for ETRN.", Code.QUEUE_ONLY, """
                [destination."dial.example"]
                queue-only = true
                """, world -> waited(world, world.send("ann@here.example", "bob@dial.example"))),
        TLS("The TLS policy cannot be kept", "The policy needs TLS, and the host does not offer it.", Code.RETRY,
                "[destination.\"plain.example\"]\ntls = \"encrypt\"\n", world -> {
            world.slowToOpen.add("plain.example");
            QueueId id = world.send("ann@here.example", "bob@plain.example");
            world.after(Duration.ofMillis(220));
            world.refuse("plain.example", Reply.of(450, "4.7.4",
                    "host mx.plain.example[192.0.2.157]:25: TLS is required, but was not offered"), Code.STARTTLS);
            return waited(world, id);
        }),
        CERTIFICATE("The certificate of a host has expired", "The route demands a valid one.", Code.RETRY,
                "[routes]\n\"*\" = \"smtp:relay.example tls=verify\"\n", world -> {
            world.slowToOpen.add("far.example");
            QueueId id = world.send("ann@here.example", "bob@far.example");
            world.after(Duration.ofMillis(220));
            world.refuse("far.example", Reply.of(450, "4.7.5", "TLS is required for relay.example[192.0.2.7]:25, but"
                    + " failed: its certificate expired on 2026-11-01T00:00:00Z (for relay.example)"), Code.TLS);
            return waited(world, id);
        }),
        OWNER("The TLS policy of the domain cannot be kept", "Its owner demands a valid certificate by MTA-STS.",
                Code.RETRY, "", world -> {
            world.slowToOpen.add("far.example");
            QueueId id = world.send("ann@here.example", "bob@far.example");
            world.after(Duration.ofMillis(220));
            world.refuse("far.example", Reply.of(450, "4.7.5", "TLS is required by MTA-STS for mx.far.example"
                    + "[192.0.2.186]:25, but failed: its certificate is not for mx.far.example"), Code.TLS);
            return waited(world, id);
        }),
        CLOCK("The clock was wrong", "The next attempt is far away.", Code.CLOCK, "", world -> {
            world.after(Duration.ofDays(30));
            QueueId id = replied(world, "grey.example", Reply.of(450, "4.7.1", "Greylisted"), Code.RCPT);
            world.after(Duration.ofDays(-30));
            return id;
        }),
        MAILBOX_FULL("The mailbox is full", "The host refuses the recipient for the time being.", Code.RETRY, "",
                world -> {
            QueueId id = replied(world, "far.example", Reply.of(452, "4.2.2", "Mailbox full"), Code.RCPT);
            world.after(BACKOFF);
            world.after(Duration.ofMillis(350));
            world.reply("far.example", Reply.of(452, "4.2.2", "Mailbox full"), Code.RCPT);
            world.after(Duration.ofMinutes(1));
            return id;
        }),
        INDEX("The index is down", "Lists and counts fail; mail still flows.", Code.INDEX, "", world -> {
            QueueId id = world.send("ann@here.example", "bob@far.example");
            world.after(Duration.ofSeconds(90));
            world.indexIsDown = true;
            return id;
        }),
        ROUTE("A route names a host that does not exist", "All mail of a route waits.", Code.RETRY, "", world -> {
            world.slowToOpen.add("[relay.example]");
            world.routes.put("far.example", new QmgrEvent.RouteKnown("far.example",
                    SituationWorld.route("[relay.example]", "relay.example")));
            QueueId id = world.send("ann@here.example", "bob@far.example");
            world.after(Duration.ofMillis(12));
            world.refuse("[relay.example]", Reply.of(450, "4.4.3", "relay.example: no address; the name comes from a setting"),
                    Code.LOOKUP);
            return waited(world, id);
        }),
        EXPIRED("The message has expired", "Its lifetime is over, and its report cannot be stored.", Code.REPORTING, "",
                world -> {
            world.reportsFail = true;
            QueueId id = replied(world, "grey.example", Reply.of(450, "4.7.1", "Greylisted"), Code.RCPT);
            world.after(Duration.ofDays(6));
            world.reply("grey.example", Reply.of(450, "4.7.1", "Greylisted"), Code.RCPT);
            return id;
        }),
        HOST_LIMIT("The host is not known to work", "A host without a recent success gets few connections.",
                Code.HOST_LIMIT, "", world -> {
            world.slowToOpen.add("new.example");
            for (int i = 0; i < 4; i++) {
                world.send("ann@here.example", "user" + i + "@new.example");
            }
            return waited(world, world.send("ann@here.example", "bob@new.example"));
        }),
        PAUSE("The destination has a pause", "Deliveries go one by one.", Code.PAUSE, """
                [concurrency]
                destination-rate-delay = "30s"
                """, world -> {
            replied(world, SLOW, Reply.of(250, "2.0.0", "Ok"), Code.FINAL_REPLY);
            QueueId id = world.send("ann@here.example", "bob@slow.example");
            world.after(Duration.ofSeconds(10));
            return id;
        }),
        DUE("The active queue is full", "Mail is due and is not taken up.", Code.DUE, """
                [queue]
                active-messages = 1
                """, world -> {
            world.send("ann@here.example", "first@slow.example");
            return waited(world, world.send("ann@here.example", "bob@far.example"));
        }),
        STOPPING("The server is stopping", "Running deliveries end, and no other starts.", Code.STOPPING, """
                [queue]
                lanes-of-server = 1
                """, world -> {
            world.send("ann@here.example", "first@slow.example");
            QueueId id = world.send("ann@here.example", "bob@far.example");
            world.stops();
            return waited(world, id);
        }),
        LATER("The sender asked for a later delivery", "The client used FUTURERELEASE.", Code.LATER, "", world ->
            world.sendLater("ann@here.example", "bob@far.example", Duration.ofHours(3))),
        RESTING("The server does not deliver", "All mail waits.", Code.RESTING, """
                [queue]
                deliver = false
                """, world -> world.send("ann@here.example", "bob@far.example"));

        final String title;
        final String symptom;
        final Code code;
        final String toml;
        final Course course;

        Situation(String title, String symptom, Code code, String toml, Course course) {
            this.title = title;
            this.symptom = symptom;
            this.code = code;
            this.toml = toml;
            this.course = course;
        }

        /// The gate that binds, which may be that of other recipients.
        List<String> binding() {
            return this == SHARE
                    ? List.of("share")
                    : Stream.of(code).filter(QueuePhase.GATES::contains).map(Code::word).toList();
        }

        String heading() {
            return "### " + title + "\n";
        }
    }
    // @formatter:on

    private static QueueId replied(SituationWorld world, String domain, Reply reply, Code phase) throws Exception {
        QueueId id = world.send("ann@here.example", "bob@" + domain);
        world.after(Duration.ofMillis(350));
        world.reply(domain, reply, phase);
        return id;
    }

    private static QueueId waited(SituationWorld world, QueueId id) throws Exception {
        world.after(Duration.ofSeconds(20));
        return id;
    }

    /// When it fails after a change: `mvn -pl mta-dist test -Dtest=ExplainedSituationsTest
    /// -Dslipstream.golden=write`.
    @ParameterizedTest
    @EnumSource(Situation.class)
    void thePageHasTheAnswerOfTheServer(Situation situation) throws Exception {
        try (SituationWorld world = new SituationWorld(home, situation.toml)) {
            QueueId id = situation.course.run(world);
            var answer = world.explain(id);
            assertThat(answer.reason()).as(answer.text()).isEqualTo(situation.code.word());
            assertThat(answer.gates()).filteredOn(gate -> gate.binds()).extracting(gate -> gate.reason())
                    .isEqualTo(situation.binding());
            String beginning = situation.heading() + "\n" + situation.symptom + "\n\n```text\n";
            String whole = beginning + "$ mta explain " + id + "\n" + answer.text() + "\n```\n\n";
            // The page has one answer as a whole, and of the others what differs.
            String brief = situation == Situation.DEAD_HOST ? whole : beginning + facts(answer.text()) + "\n```\n\n";
            if (System.getProperty("slipstream.golden", "").equals("write")) {
                write(PAGE, situation, brief);
                write(ANSWERS, situation, whole);
            } else {
                assertThat(section(Files.readString(PAGE), situation)).isEqualTo(brief);
                assertThat(section(Files.readString(ANSWERS), situation)).isEqualTo(whole);
            }
        }
    }

    @Test
    @Tag("ZM-25")
    void aSubjectHasItsSuspensionsInItsState() throws Exception {
        try (SituationWorld world = new SituationWorld(home, "")) {
            Duration time = Duration.ofHours(2);
            world.suspend(SuspensionScope.DESTINATION, "far.example", "they move their server", time);
            world.suspend(SuspensionScope.DESTINATION, "*.far.example", "another", time);
            world.suspend(SuspensionScope.SENDER, "*@lists.example", "complaints", time);
            world.suspend(SuspensionScope.SENDER, "<>", "a flood of reports", time);
            world.suspend(SuspensionScope.TRANSPORT, "smtp", "the line is down", time);
            assertThat(state(world, Subject.DESTINATION, "FAR.example")).isEqualTo("Destination FAR.example:"
                    + " nothing under way; destination far.example is suspended by ann until 2026-11-21T12:00:00Z:"
                    + " they move their server (mta resume destination far.example ends it)");
            assertThat(state(world, Subject.DESTINATION, "mx.far.example")).contains("*.far.example", "another");
            assertThat(state(world, Subject.DESTINATION, "near.example")).endsWith("nothing under way");
            assertThat(state(world, Subject.SENDER, "news@lists.example")).endsWith(
                    ": complaints (mta resume sender *@lists.example ends it)");
            assertThat(state(world, Subject.SENDER, "lists.example")).contains("complaints").doesNotContain("flood");
            assertThat(state(world, Subject.SENDER, "<>")).contains("flood").doesNotContain("complaints");
            assertThat(state(world, Subject.SENDER, "ann@here.example")).endsWith("no limit of its own");

            world.suspend(SuspensionScope.EVERYTHING, "", "the network is changed", time);
            String frozen = "; all deliveries are frozen by ann until 2026-11-21T12:00:00Z: the network is changed"
                    + " (mta thaw ends it)";
            assertThat(state(world, Subject.DESTINATION, "near.example")).endsWith(frozen);
            assertThat(state(world, Subject.SENDER, "ann@here.example")).endsWith(frozen);
            assertThat(state(world, Subject.HOST, "mx.near.example")).endsWith("not suspended" + frozen);
        }
    }

    @Test
    @Tag("ZM-25")
    void aDestinationWithMailInMemoryHasTheSuspensionOfItsTransport() throws Exception {
        try (SituationWorld world = new SituationWorld(home, "")) {
            world.send("ann@here.example", "bob@far.example");
            world.suspend(SuspensionScope.TRANSPORT, "smtp", "the line is down", Duration.ofHours(2));
            assertThat(state(world, Subject.DESTINATION, "far.example")).contains("deliveries under way")
                    .endsWith("the line is down (mta resume transport smtp ends it)");
            Route.Smtp route = SituationWorld.route("far.example", "mx.far.example");
            world.suspend(route, "their disk is full", "ann", Duration.ofHours(2));
            String key = ClientConfig.of("mta.example").hostKey(route, route.hosts().getFirst()).toString();
            assertThat(state(world, Subject.HOST, key))
                    .endsWith("their disk is full (mta destdb resume " + key + " ends it)");
        }
    }

    @Test
    void theWordOfTheSenderAboutTlsIsTold() throws Exception {
        try (SituationWorld world = new SituationWorld(home, "")) {
            Envelope envelope = Envelope.of(Address.parse("ann@here.example"), List.of(Address.of("bob@far.example")));
            String optional = "its sender wants it sent whatever TLS the owner of a domain demands (TLS-Required: No)";
            assertThat(world.explain(world.send(envelope)).text()).doesNotContain(optional);
            QueueId id = world.send(envelope.withOptions(DeliveryOptions.NONE.with(SenderTls.OPTIONAL)));
            assertThat(world.explain(id).text()).contains("\ntls      " + optional + "\n");
        }
    }

    private static String state(SituationWorld world, Subject subject, String name) throws IOException {
        return world.explain(subject, name).lines().findFirst().orElseThrow();
    }

    /// Reason, since, next and release; without an index there is nothing else.
    private static String facts(String answer) {
        return answer.contains("\n\nGates:")
                ? answer.substring(answer.indexOf("\nreason") + 1, answer.indexOf("\n\nGates:"))
                : answer;
    }

    private static String section(String page, Situation situation) {
        int begin = page.indexOf(situation.heading());
        return begin < 0 ? "" : page.substring(begin, end(page, begin));
    }

    private static int end(String page, int begin) {
        int next = page.indexOf("### ", begin + 4);
        return next < 0 ? page.indexOf(END, begin) : next;
    }

    private static void write(Path file, Situation situation, String section) throws IOException {
        String page = Files.readString(file);
        int begin = page.indexOf(situation.heading());
        Files.writeString(file, begin < 0
                ? page.replace(END, section + END)
                : page.substring(0, begin) + section + page.substring(end(page, begin)));
    }

    @Test
    void thePageHasNoOtherSituations() throws IOException {
        for (Path file : List.of(PAGE, ANSWERS)) {
            String page = Files.readString(file);
            assertThat(page.substring(page.indexOf(BEGIN), page.indexOf(END)).split("\n### ", -1))
                    .hasSize(Situation.values().length + 1);
        }
    }

    @Test
    void thePageNamesEachReason() throws IOException {
        String page = Files.readString(PAGE);
        for (Code code : Code.values()) {
            assertThat(page).as(code.name().toLowerCase(Locale.ROOT)).contains("| `" + code.word() + "`");
        }
    }
}
