package org.slipstream.spool.work;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueueFilter.State;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.index.Search;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// An operator's search for mail that was tried and for mail that was not.
class SearchTest {
    private static final Outcome DELIVERED = Outcome.of(Reply.of(250, "2.0.0", "Ok"), "mx.example.net");
    private static final Outcome DEFERRED = Outcome.of(Reply.of(451, "4.3.0", "later"), "mx.example.net");

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();
    private Spool spool;

    @BeforeEach
    void open() throws Exception {
        spool = world.open(directory);
    }

    @AfterEach
    void close() {
        spool.close();
    }

    private QueueId from(String sender, String... recipients) throws IOException {
        Optional<Address> from = sender.isEmpty() ? Optional.empty() : Optional.of(Address.of(sender));
        return TestMessages
                .commit(spool, Envelope.of(from, Stream.of(recipients).map(Address::of).toList()), new byte[10])
                .id();
    }

    private QueueId to(String... recipients) throws IOException {
        return from("ann@example.org", recipients);
    }

    /// Its recipients have rows from now on.
    private void tried(QueueId id, int recipient, Outcome outcome) {
        TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(recipient, outcome)), then));
    }

    private List<QueueId> found(QueueFilter filter) throws IOException {
        return found(Search.of(filter));
    }

    private List<QueueId> found(Search search) throws IOException {
        QueueIndex.Found found = spool.find(search, Optional.empty(), 100);
        assertThat(found.next()).isEmpty();
        return found.ids();
    }

    private static QueueFilter sender(String pattern) {
        return new QueueFilter(AddressPattern.parse(pattern), List.of(), Optional.empty(), OptionalLong.empty(),
                OptionalLong.empty(), 0);
    }

    private static QueueFilter recipient(String... patterns) {
        return new QueueFilter(Optional.empty(),
                Stream.of(patterns).map(pattern -> AddressPattern.parse(pattern).orElseThrow()).toList(),
                Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), 0);
    }

    private static QueueFilter ages(OptionalLong older, OptionalLong younger) {
        return new QueueFilter(Optional.empty(), List.of(), Optional.empty(), older, younger, 0);
    }

    @Test
    void aSenderIsFoundByAddressByDomainAndByAPartOfEither() throws Exception {
        QueueId news = from("news@Mailing.Example.ORG", "bob@example.net");
        QueueId shouted = from("NEWS@example.com", "bob@example.net");
        QueueId report = from("", "bob@example.net");
        assertThat(found(sender("news@mailing.example.org"))).containsExactly(news);
        assertThat(found(sender("*@MAILING.example.org"))).containsExactly(news);
        assertThat(found(sender("*@*.org"))).containsExactly(news);
        assertThat(found(sender("n*s@*"))).as("local parts have case").containsExactly(news);
        assertThat(found(sender("*@*"))).containsExactly(news, shouted);
        assertThat(found(sender("<>"))).as("reports").containsExactly(report);
        assertThat(found(sender("*@example.or"))).as("no part unless a star says so").isEmpty();
    }

    @Test
    void ofAllCharactersOnlyTheStarStandsForOthers() throws Exception {
        QueueId under = from("a_b@example.org", "bob_%!x@example.net");
        QueueId other = from("axb@example.org", "bob1231x@example.net");
        QueueId quoted = from("\"a' or 1=1 --\\\\\"@example.org", "c@example.net");
        assertThat(found(sender("a_b@example.org"))).containsExactly(under);
        assertThat(found(sender("a%b@example.org"))).isEmpty();
        assertThat(found(sender("\"a' or *\"@example.org"))).containsExactly(quoted);
        for (QueueId each : List.of(under, other)) {
            assertThat(found(recipient("bob_%!x@example.net"))).containsExactly(under);
            assertThat(found(recipient("bob*x@example.net"))).containsExactly(under, other);
            tried(each, 1, DEFERRED);
        }
        assertThat(found(recipient("bob_%!x@example.net"))).containsExactly(under);
        assertThat(found(recipient("bob*x@example.net"))).containsExactly(under, other);
        assertThat(found(recipient("bob%x@example.net"))).isEmpty();
    }

    @Test
    void aRecipientIsFoundWhetherItsMessageWasTriedOrNot() throws Exception {
        QueueId untried = to("ann@example.com", "bob@Far.Example.NET");
        QueueId tried = to("ann@example.com", "bob@far.example.net");
        tried(tried, 1, DEFERRED);
        to("carol@near.example.net");
        assertThat(found(recipient("bob@far.example.net"))).containsExactly(untried, tried);
        assertThat(found(recipient("*@FAR.example.*"))).containsExactly(untried, tried);
        assertThat(found(recipient("Bob@far.example.net"))).isEmpty();
        assertThat(found(recipient("ann@*", "*@far.example.net"))).as("one recipient that is both").isEmpty();
        assertThat(found(recipient("b*@*", "*@far.example.net"))).containsExactly(untried, tried);
    }

    @Test
    void deliveredRecipientsAreRemovedFromTheEnvelope() throws Exception {
        QueueId id = to("ann@example.com", "bob@example.net");
        tried(id, 1, DELIVERED);
        assertThat(found(recipient("ann@example.com"))).isEmpty();
        assertThat(found(recipient("bob@example.net"))).containsExactly(id);
    }

    /// For ETRN: the index by domain answers alone, and stops after a page.
    @Test
    void triedMailOfADomainIsFoundWithoutAScanOfTheRest() throws Exception {
        QueueId waits = to("bob@back.example");
        tried(waits, 1, DEFERRED);
        QueueId held = to("bob@back.example");
        tried(held, 1, DEFERRED);
        TestMessages.done(then -> spool.hold(held, true, then));
        QueueId elsewhere = to("ann@back.example", "eve@else.example");
        tried(elsewhere, 1, DELIVERED);
        to("untried@back.example");
        assertThat(spool.tried("Back.Example")).isEqualTo(new QueueIndex.Found(List.of(waits), Optional.empty()));

        QueueId mailing = to(IntStream.range(0, 600).mapToObj(i -> "u" + i + "@many.example").toArray(String[]::new));
        tried(mailing, 1, DEFERRED);
        assertThat(spool.tried("many.example").ids()).containsExactly(mailing);
        assertThat(spool.tried("many.example").next()).as("there may be more").isPresent();
    }

    @Test
    void anEnvelopeTooLargeForTheRowOfItsMessageIsSearchedToo() throws Exception {
        String[] many = new String[1000];
        for (int i = 0; i < many.length; i++) {
            many[i] = "user" + i + "@a-rather-long-domain.example.net";
        }
        QueueId id = to(many);
        assertThat(found(recipient("user999@*"))).containsExactly(id);
        assertThat(found(recipient("user1000@*"))).isEmpty();
    }

    @Test
    void ageCountsFromTheArrival() throws Exception {
        QueueId old = to("bob@example.net");
        world.clock.advanceMillis(3_600_000);
        QueueId young = to("bob@example.net");
        world.clock.advanceMillis(600_000);
        assertThat(found(ages(OptionalLong.of(3_600_000), OptionalLong.empty()))).containsExactly(old);
        assertThat(found(ages(OptionalLong.empty(), OptionalLong.of(3_600_000)))).containsExactly(young);
        assertThat(found(ages(OptionalLong.of(600_000), OptionalLong.of(4_200_001)))).containsExactly(old, young);
        assertThat(found(ages(OptionalLong.of(600_001), OptionalLong.of(4_200_000)))).isEmpty();
    }

    @Test
    void attemptsAndStatesAreFound() throws Exception {
        QueueId twice = to("bob@example.net");
        QueueId held = to("bob@example.net");
        QueueId fresh = to("bob@example.net");
        tried(twice, 1, DEFERRED);
        tried(twice, 1, DEFERRED);
        TestMessages.done(then -> spool.hold(held, true, then));
        assertThat(found(new QueueFilter(Optional.empty(), List.of(), Optional.empty(), OptionalLong.empty(),
                OptionalLong.empty(), 2))).containsExactly(twice);
        assertThat(found(QueueFilter.ANY.withState(State.HELD))).containsExactly(held);
        assertThat(found(QueueFilter.ANY.withState(State.DEFERRED))).containsExactly(twice, fresh);
        assertThat(found(Search.among(Set.of(fresh, held, new QueueId(1)), QueueFilter.ANY)))
                .containsExactly(held, fresh);
        assertThat(found(Search.among(Set.of(fresh, held), QueueFilter.ANY.withState(State.ACTIVE))))
                .containsExactly(fresh);
        assertThat(found(Search.among(Set.of(), QueueFilter.ANY))).isEmpty();
    }

    /// By the index of domains for those that were tried, and by the envelope for the others.
    @Test
    void aMessageWhoseOrderIsNotOnDiskMatchesInAnyStateAndOnlyThere() throws Exception {
        QueueId twice = to("bob@example.net");
        QueueId held = to("bob@example.net");
        QueueId fresh = to("bob@example.net");
        QueueId elsewhere = to("bob@example.com");
        tried(twice, 1, DEFERRED);
        TestMessages.done(then -> spool.hold(held, true, then));
        Set<QueueId> toBeHeld = Set.of(twice, fresh, elsewhere);
        for (QueueFilter filter : List.of(recipient("*@example.net"), recipient("*@*.net"))) {
            assertThat(found(Search.of(filter.withState(State.HELD)).with(toBeHeld)))
                    .containsExactly(twice, held, fresh);
            assertThat(found(Search.of(filter.withState(State.DEFERRED)).with(Set.of(held, elsewhere))))
                    .containsExactly(twice, held, fresh);
        }
        assertThat(found(Search.of(QueueFilter.ANY.withState(State.HELD)).with(toBeHeld)))
                .containsExactly(twice, held, fresh, elsewhere);
        assertThat(found(Search.among(Set.of(held, fresh), QueueFilter.ANY.withState(State.HELD)).with(toBeHeld)))
                .containsExactly(held, fresh);
    }

    @Test
    void allThatIsSaidMustFit() throws Exception {
        QueueId wanted = from("news@example.org", "bob@example.net");
        from("news@example.org", "bob@example.com");
        from("ann@example.org", "bob@example.net");
        world.clock.advanceMillis(60_000);
        from("news@example.org", "bob@example.net");
        var filter = new QueueFilter(AddressPattern.parse("news@*"), List.of(AddressPattern.ofDomain("example.net")
                .orElseThrow()), Optional.of(State.DEFERRED), OptionalLong.of(60_000), OptionalLong.of(60_001), 0);
        assertThat(found(filter)).containsExactly(wanted);
    }

    @Test
    void pagesHangTogetherAndTheLastSaysThatItIsTheLast() throws Exception {
        List<QueueId> wanted = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            QueueId id = to(i % 2 == 0 ? "bob@example.net" : "ann@example.com");
            if (i % 2 == 0) {
                wanted.add(id);
            }
            if (i % 3 == 0) {
                tried(id, 1, DEFERRED);
            }
        }
        for (QueueFilter filter : List.of(recipient("*@example.net"), sender("ann@example.org"))) {
            List<QueueId> all = new ArrayList<>();
            int pages = 0;
            Optional<QueueId> next = Optional.empty();
            do {
                QueueIndex.Found page = spool.find(Search.of(filter), next, 3);
                assertThat(page.ids()).hasSizeLessThanOrEqualTo(3);
                all.addAll(page.ids());
                next = page.next();
                pages++;
            } while (next.isPresent());
            assertThat(all).doesNotHaveDuplicates().containsAll(wanted);
            assertThat(pages).as("no empty page behind the last").isEqualTo(all.size() / 3);
        }
        assertThat(spool.details(List.of(wanted.get(4), new QueueId(1), wanted.get(1))))
                .extracting(each -> each.summary().id()).containsExactly(wanted.get(1), wanted.get(4));
    }

    @Test
    void anEnvelopeThatCannotBeReadMatchesNothingAndDisturbsNoSearch() throws Exception {
        QueueId damaged = to("bob@example.net");
        QueueId healthy = to("bob@example.net");
        assertThat(found(recipient("bob@example.net"))).containsExactly(damaged, healthy);
        try (var connection = connection();
                var update = connection.prepareStatement(
                        "update message set envelope = ? where id = ?")) {
            update.setBytes(1, new byte[]{9, 9, 9});
            update.setLong(2, damaged.value());
            update.executeUpdate();
        }
        assertThat(found(recipient("bob@example.net"))).containsExactly(healthy);
        assertThat(spool.details(List.of(damaged, healthy))).extracting(each -> each.summary().id())
                .containsExactly(healthy);
    }

    @Test
    void oneQuestionLooksAtAWindowAndSaysWhereToGoOn() throws Exception {
        int window = 20_000;
        insert(window + 500);
        QueueId last = from("boss@example.org", "bob@example.net");
        QueueIndex.Found first = spool.find(Search.of(sender("boss@*")), Optional.empty(), 10);
        assertThat(first).isEqualTo(new QueueIndex.Found(List.of(), Optional.of(new QueueId(window))));
        QueueIndex.Found second = spool.find(Search.of(sender("boss@*")), first.next(), 10);
        assertThat(second).isEqualTo(new QueueIndex.Found(List.of(last), Optional.empty()));
        QueueIndex.Found counted = spool.find(Search.of(sender("news@*")), Optional.empty(), Integer.MAX_VALUE - 1);
        assertThat(counted.ids()).hasSize(window);
        assertThat(spool.find(Search.of(sender("news@*")), counted.next(), window).ids()).hasSize(500);
    }

    private void insert(int messages) throws SQLException {
        try (Connection connection = connection();
                PreparedStatement insert = connection.prepareStatement("""
                        insert into message (id, segment, segment_offset, own_file, size_bytes, created_millis,
                         next_millis, not_before_millis, state, attempts, delay_reports, recipients, sender_local,
                         sender_domain, body_type, smtp_utf8, dsn_return)
                         values (?, 1, 0, false, 1, 0, 0, 0, 0, 0, 0, 1, 'news', 'example.org', 0, false, 0)""")) {
            connection.setAutoCommit(false);
            for (int id = 1; id <= messages; id++) {
                insert.setLong(1, id);
                insert.addBatch();
            }
            insert.executeBatch();
            connection.commit();
        }
    }

    private Connection connection() throws SQLException {
        return TestWorld.connect(directory);
    }
}
